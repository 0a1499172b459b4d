//! Properties of trees of any shape, whatever is done to them.

use plimsoll_draw::Draw;
use plimsoll_plan::{
    Bytes, DealtFiles, FileSelect, FileSizes, Making, NumberedNames, Op, Tree, TreePart,
};
use plimsoll_tree::{
    Claim, Entry, Inside, Leftover, Leftovers, Maker, Next, Others, Population, Present, Shape,
};
use proptest::prelude::*;
use std::collections::{BTreeSet, HashMap, HashSet};

fn tree(depth: u32, width: u32, files: u64, on_all_levels: bool) -> Tree {
    Tree {
        root: "/t".into(),
        depth,
        width,
        files,
        on_all_levels,
        sizes: FileSizes::Fixed(Bytes(4096)),
        part: TreePart::default(),
        names: None,
    }
}

fn vdbenchs() -> impl Strategy<Value = Tree> {
    let numbers = (1u32..5, 1u32..5, 1u64..4, any::<bool>());
    numbers.prop_map(|(d, w, f, all)| tree(d, w, f, all))
}

fn trees() -> impl Strategy<Value = Tree> {
    prop_oneof![4 => vdbenchs(), 1 => numbered()]
}

/// Trees of numbered names: of files, or of directories.
fn numbered() -> impl Strategy<Value = Tree> {
    (1u32..40, any::<bool>()).prop_map(|(count, are_files)| {
        let (depth, width, files) = match are_files {
            true => (0, 0, count.into()),
            false => (1, count, 0),
        };
        Tree {
            names: NumberedNames::of("j.0.*"),
            ..tree(depth, width, files, false)
        }
    })
}

proptest! {
    /// Hosts that share a tree have all of its files among them, none twice, with the names and sizes that one host would find.
    #[test]
    fn files_of_a_shared_tree_are_dealt_out_whole(tree in trees(), of in 1u32..5) {
        let whole = Shape::new(&tree);
        let own = |first| {
            let dealt = Some(DealtFiles { first, of });
            Shape::new(&Tree { part: TreePart { dealt, ..TreePart::default() }, ..tree.clone() })
        };
        let shapes: Vec<Shape> = (0..of).map(own).collect();
        for file in 0..whole.files() {
            let having: Vec<&Shape> = shapes.iter().filter(|s| s.has(file) && s.works_on(file)).collect();
            prop_assert_eq!(having.len(), 1);
            prop_assert_eq!(having[0].size(file), whole.size(file));
        }
        prop_assert_eq!(shapes.iter().map(Shape::bytes).sum::<u64>(), whole.bytes());
        prop_assert!(shapes.iter().all(|s| s.directories() == whole.directories()));
    }

    #[test]
    fn each_number_has_one_name_and_each_name_its_number(tree in trees()) {
        let shape = Shape::new(&tree);
        prop_assert_eq!((shape.directories(), shape.files()), (tree.directory_count(), tree.file_count()));
        let directories = (0..shape.directories()).map(Entry::Directory);
        let mut seen = HashSet::new();
        for entry in directories.chain((0..shape.files()).map(Entry::File)) {
            let path = shape.path(entry);
            prop_assert!(seen.insert(path.clone()), "{}", path);
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
            let parent = match entry {
                Entry::Directory(directory) => shape.parent(directory),
                Entry::File(file) => shape.directory_of(file),
            };
            prop_assert_eq!(folder, parent.map_or(String::new(), |p| shape.path(Entry::Directory(p))));
            // A parent is made before what is in it.
            if let (Some(parent), Entry::Directory(directory)) = (parent, entry) {
                prop_assert!(parent < directory);
            }
            prop_assert_eq!(shape.find(parent, name), Some(entry));
            prop_assert_eq!(shape.find(parent, &format!("{name} ")), None);
            prop_assert_eq!(shape.find(parent, &name.replace('1', "01")).filter(|e| *e == entry).is_some(), !name.contains('1'));
        }
    }

    #[test]
    fn no_two_claims_conflict_and_what_exists_is_what_was_done(tree in trees(), seed in any::<u64>()) {
        const OPS: [Op; 10] = [
            Op::Mkdir, Op::Rmdir, Op::Create, Op::Delete, Op::Stat, Op::Open, Op::Read, Op::Write, Op::Readdir, Op::Mkdir,
        ];
        let mut population = Population::empty(Shape::new(&tree));
        let mut draw = Draw(seed);
        let mut out: Vec<Claim> = Vec::new();
        // The truth, told by what came out well: names that exist.
        let mut there: HashSet<String> = HashSet::new();
        for _ in 0..400 {
            if out.len() < 6 && draw.below(2) == 0 {
                let (op, select) = (draw.of(&OPS), draw.of(&[FileSelect::Random, FileSelect::Sequential]));
                let Some(claim) = population.begin(op, select, &mut draw) else { continue };
                let shape = population.shape();
                let path = shape.path(claim.entry);
                let parent = path.rsplit_once('/').map(|(parent, _)| parent.to_string());
                let makes = matches!(op, Op::Mkdir | Op::Create);
                prop_assert_eq!(there.contains(&path), !makes, "{:?}", claim);
                prop_assert!(parent.as_ref().is_none_or(|p| there.contains(p)), "{}", path);
                for other in &out {
                    let theirs = shape.path(other.entry);
                    let both_read = op == Op::Readdir && other.op == Op::Readdir;
                    prop_assert!(theirs != path || both_read, "{:?} and {:?}", claim, other);
                    let removes = |c: &Claim| c.op == Op::Rmdir;
                    let (own, other_path) = (format!("{path}/"), format!("{theirs}/"));
                    prop_assert!(!(removes(other) && path.starts_with(&other_path)));
                    prop_assert!(!(removes(&claim) && theirs.starts_with(&own)));
                }
                if op == Op::Rmdir {
                    let within = format!("{path}/");
                    prop_assert!(!there.iter().any(|name| name.starts_with(&within)));
                }
                out.push(claim);
            } else if !out.is_empty() {
                let claim = out.swap_remove(draw.below(out.len()));
                let (path, well) = (population.shape().path(claim.entry), draw.below(4) > 0);
                population.end(claim, well);
                match claim.op {
                    Op::Mkdir | Op::Create if well => { there.insert(path); }
                    Op::Rmdir | Op::Delete if well => { there.remove(&path); }
                    _ => {}
                }
            }
        }
        for claim in out {
            population.end(claim, false);
        }
        let [directories, made, _] = population.counts();
        prop_assert_eq!((directories + made) as usize, there.len());
    }

    #[test]
    fn a_tree_is_made_whatever_was_there_and_whoever_ends_first(tree in trees(), seed in any::<u64>(), anew in any::<bool>()) {
        let mut population = Population::empty(Shape::new(&tree));
        let mut draw = Draw(seed);
        for directory in 0..population.shape().directories() {
            let parent = population.shape().parent(directory);
            if draw.below(2) == 0 && parent.is_none_or(|p| population.has_directory(p)) {
                population.found_directory(directory);
            }
        }
        for file in 0..population.shape().files() {
            if draw.below(2) == 0 && population.shape().directory_of(file).is_none_or(|d| population.has_directory(d)) {
                population.found_file(file, draw.of(&[0, 512, 4096]));
            }
        }
        let before = population.counts();
        let (making, deleted) = match anew {
            true => (Making::Anew, before[0] + before[1]),
            false => (Making::Missing, 0),
        };
        let all = [tree.directory_count(), tree.file_count(), tree.file_count()];
        let kept = if anew { [0; 3] } else { before };
        let expected: u64 = deleted + (0..3).map(|n| all[n] - kept[n]).sum::<u64>();
        let mut maker = Maker::new(making);
        let (mut out, mut done) = (Vec::new(), 0u64);
        loop {
            let next = maker.next(&mut population, &mut Leftovers::default());
            match next {
                Next::Do(claim) => out.push(claim),
                Next::Wait => prop_assert!(!out.is_empty()),
                Next::Over | Next::Remove(..) => break,
            }
            if next == Next::Wait || out.len() > 4 {
                let claim = out.swap_remove(draw.below(out.len()));
                population.end(claim, true);
                done += 1;
            }
        }
        prop_assert!(out.is_empty() && population.is_complete());
        prop_assert_eq!(done, expected);
    }

    /// Whatever trees have had the root before, their names are deleted from the last level up, and those of the tree are there then.
    #[test]
    fn a_tree_is_made_anew_where_others_were(trees in prop::collection::vec(vdbenchs(), 3), seed in any::<u64>()) {
        let mut draw = Draw(seed);
        let shapes: Vec<Shape> = trees.iter().map(Shape::new).collect();
        let paths = |shape: &Shape| -> BTreeSet<String> {
            let directories = (0..shape.directories()).map(Entry::Directory);
            let all = directories.chain((0..shape.files()).map(Entry::File));
            all.map(|entry| shape.path(entry)).collect()
        };
        let mut disk: BTreeSet<String> = shapes.iter().flat_map(&paths).collect();
        let others = Others::of(&[&trees[1], &trees[2]]);
        let (mut population, mut leftovers) = found(&disk, &shapes[0], &others);
        let mut maker = Maker::new(Making::Anew);
        let mut out: Vec<(String, Op, Option<Claim>)> = Vec::new();
        loop {
            let next = maker.next(&mut population, &mut leftovers);
            match next {
                Next::Do(claim) => out.push((shapes[0].path(claim.entry), claim.op, Some(claim))),
                Next::Remove(op, left) => out.push((others.path(left, op == Op::Rmdir), op, None)),
                Next::Wait => prop_assert!(!out.is_empty()),
                Next::Over => break,
            }
            if next == Next::Wait || out.len() > 4 {
                let (path, op, claim) = out.swap_remove(draw.below(out.len()));
                let below = format!("{path}/");
                match op {
                    Op::Mkdir | Op::Create => prop_assert!(disk.insert(path)),
                    Op::Delete | Op::Rmdir => {
                        prop_assert!(!disk.iter().any(|other| other.starts_with(&below)), "{path} is not empty");
                        prop_assert!(disk.remove(&path), "{path} is not there");
                    }
                    _ => prop_assert!(disk.contains(&path)),
                }
                match claim {
                    Some(claim) => population.end(claim, true),
                    None => leftovers.end(),
                }
            }
        }
        prop_assert!(out.is_empty() && population.is_complete());
        prop_assert_eq!(disk, paths(&shapes[0]));
    }
}

/// What is found of a tree and of others among these paths, directory by directory.
fn found(disk: &BTreeSet<String>, shape: &Shape, others: &Others) -> (Population, Leftovers) {
    let (mut population, mut leftovers) = (Population::empty(shape.clone()), Leftovers::default());
    let mut within = HashMap::from([(String::new(), (Some(None), others.root()))]);
    // A directory's path stands before those below it.
    for path in disk {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (own, inside) = &within[folder];
        let own = own.and_then(|own| shape.find(own, name));
        let in_others = others.find(inside, name);
        match (own, Leftover::of(&in_others)) {
            (Some(Entry::Directory(directory)), _) => population.found_directory(directory),
            (Some(Entry::File(file)), _) => population.found_file(file, 0),
            (None, Some((left, Entry::Directory(_)))) => leftovers.found_directory(left),
            (None, Some((left, Entry::File(_)))) => leftovers.found_file(left),
            (None, None) => unreachable!("{path} is of none of the trees"),
        }
        let own = match own {
            Some(Entry::Directory(directory)) => Some(Some(directory)),
            _ => None,
        };
        within.insert(path.clone(), (own, Inside::below(&in_others)));
    }
    (population, leftovers)
}

#[test]
fn a_shared_file_is_worked_on_by_several_and_deleted_when_all_of_them_have_left_it() {
    let mut population = Population::empty(Shape::new(&tree(1, 1, 1, false)));
    population.found_directory(0);
    population.found_file(0, 4096);
    let mut draw = Draw(1);
    let mut begin = |population: &mut Population, shares, op| {
        population.begin_beside(shares, op, FileSelect::Random, &mut draw)
    };
    let read = begin(&mut population, true, Op::Read).expect("free");
    let write = begin(&mut population, true, Op::Write).expect("shared");
    assert_eq!(begin(&mut population, false, Op::Read), None);
    population.end(read, true);
    assert_eq!(begin(&mut population, true, Op::Delete), None);
    population.end(write, true);
    let delete = begin(&mut population, true, Op::Delete).expect("free");
    assert_eq!(begin(&mut population, true, Op::Stat), None);
    population.end(delete, true);
    assert_eq!(population.present(0), Present::Absent);
}

#[test]
fn ten_million_files_take_few_bytes() {
    let sizes = FileSizes::Weighted(vec![(Bytes(4096), 50.0), (Bytes(65_536), 50.0)]);
    let shape = Shape::new(&Tree {
        sizes,
        ..tree(2, 100, 1_000, false)
    });
    assert_eq!(shape.files(), 10_000_000);
    let before = resident_kib();
    let mut population = Population::empty(shape);
    let mut draw = Draw(1);
    for op in [Op::Mkdir, Op::Create, Op::Write, Op::Stat] {
        let claim = population.begin(op, FileSelect::Random, &mut draw);
        if let Some(claim) = claim {
            population.end(claim, true);
        }
    }
    assert_eq!(population.present(0), Present::Absent);
    let took = resident_kib().saturating_sub(before);
    assert!(took < 64 << 10, "{took} KiB");
}

/// Memory of this process, KiB.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"));
    line.and_then(|l| l.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0)
}

/// A full file is gone on with where it was left, and one that is made anew at its beginning.
#[test]
fn a_file_keeps_the_place_where_it_was_left_until_it_is_deleted() {
    let mut population = Population::empty(Shape::new(&tree(1, 1, 3, false)));
    population.found_directory(0);
    (0..3).for_each(|file| population.found_file(file, 4096));
    population.leave_at(1, 1024);
    assert_eq!(population.place(1), 0, "nobody keeps places");
    population.keep_places();
    population.leave_at(1, 1024);
    population.leave_at(2, 512);
    population.keep_places();
    assert_eq!([0, 1, 2].map(|f| population.place(f)), [0, 1024, 512]);
    let mut draw = Draw(1);
    for _ in 0..2 {
        let claim = population.begin(Op::Delete, FileSelect::Sequential, &mut draw);
        population.end(claim.expect("a file"), true);
    }
    assert_eq!([0, 1, 2].map(|f| population.place(f)), [0, 0, 512]);
}

#[test]
fn a_part_of_the_files_is_made_and_worked_on() {
    let part = |total: u64, working_set: Option<u64>| TreePart {
        total: Some(Bytes(total << 10)),
        working_set: working_set.map(|set| Bytes(set << 10)),
        present: None,
        dealt: None,
    };
    let used = |part: TreePart| {
        let shape = Shape::new(&Tree {
            part,
            ..tree(1, 1, 10, false)
        });
        let used: Vec<u64> = (0..10).filter(|file| shape.has(*file)).collect();
        let set: Vec<u64> = (0..10).filter(|file| shape.works_on(*file)).collect();
        assert_eq!(shape.bytes(), used.len() as u64 * 4096);
        assert_eq!(
            (shape.used_files(), shape.working_files()),
            (used.len() as u64, set.len() as u64)
        );
        (used, set)
    };
    assert_eq!(used(TreePart::default()).0.len(), 10);
    let (total, all) = used(part(20, None));
    assert!(total.len() == 5 && all == total);
    let (made, set) = used(part(20, Some(12)));
    assert!(set.len() == 3 && set.iter().all(|file| total.contains(file)) && made == total);
    // With Vdbench 5.04.07: depth=1,width=3,files=9,sizes=(4k,50,12k,50),totalsize=120k,wss=60k.
    let halves = [4u64 << 10, 12 << 10].map(|size| (Bytes(size), 50.0));
    let shape = Shape::new(&Tree {
        sizes: FileSizes::Weighted(halves.to_vec()),
        part: part(120, Some(60)),
        ..tree(1, 3, 9, false)
    });
    let set: Vec<u64> = (0..27).filter(|file| shape.works_on(*file)).collect();
    assert_eq!(set, [6, 7, 8, 14, 16, 19, 26]);
    assert_eq!(shape.used_files(), 14);
    // More than there is, is all.
    assert_eq!(used(part(1 << 20, None)).0.len(), 10);
    let mut population = Population::empty(Shape::new(&Tree {
        part: part(20, None),
        ..tree(1, 1, 10, false)
    }));
    let mut maker = Maker::new(Making::Missing);
    while let Next::Do(claim) = maker.next(&mut population, &mut Leftovers::default()) {
        population.end(claim, true);
    }
    assert!(population.is_complete());
    assert!(
        (0..10).all(|file| (population.present(file) == Present::Full) == total.contains(&file))
    );
}

/// As many files are made as are there at first, and another one in the place of each that was deleted since will do.
#[test]
fn a_part_of_the_files_is_there_at_first() {
    let part = TreePart {
        present: Some(50),
        ..TreePart::default()
    };
    let shape = Shape::new(&Tree {
        part,
        ..tree(1, 1, 1000, false)
    });
    let first: Vec<u64> = (0..1000).filter(|file| shape.is_first(*file)).collect();
    // Of 1000 draws a standard deviation is 16.
    assert!((420..580).contains(&first.len()), "{}", first.len());
    assert_eq!(shape.first_files(), first.len() as u64);
    let mut population = Population::empty(shape);
    let make = |population: &mut Population| {
        let mut maker = Maker::new(Making::Missing);
        while let Next::Do(claim) = maker.next(population, &mut Leftovers::default()) {
            population.end(claim, true);
        }
    };
    make(&mut population);
    let made = (0..1000).filter(|file| population.present(*file) == Present::Full);
    assert!(made.eq(first.iter().copied()) && population.is_complete());
    let claim = population.begin_on(Op::Delete, Entry::File(first[0]));
    population.end(claim.expect("a file"), true);
    assert!(!population.is_complete());
    let other = (0..1000).find(|file| !first.contains(file)).expect("one");
    population.found_file(other, 4096);
    assert!(population.is_complete());
    make(&mut population);
    assert_eq!(population.counts()[1], first.len() as u64);
}
