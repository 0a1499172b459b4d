use crate::{HostAnswer, HostView, Symptom};

rule! {
    633 "dom0-vcpus-unpinned" Host(check) SUSPECT pitfalls [49] {
        summary: "Xen's control domain shares its CPUs with the guests.",
        why: "All I/O of guests goes through Dom0, and an I/O test in Dom0 competes with them. While the hypervisor gives its vcpus to others, I/Os that are done wait to be seen.",
        threshold: "A vcpu of Domain-0 that may run on any CPU, as `xl vcpu-list` (or `xm`) says it.",
        source: "xl(1), vcpu-pin. A published case fell from 105,000/s to 31,000 within ten seconds, and stayed at 105,000 once Dom0 had all 8 cores of a socket.",
        example: "Domain-0 with 24 vcpus and the affinity `any cpu`. `vcpu-pin Domain-0 all all`, as the case has it, lets each vcpu run everywhere and pins nothing.",
        remedy: "Give Dom0 CPUs of its own and keep the guests off them: `xl vcpu-set Domain-0 8; xl vcpu-pin Domain-0 all 0-7`, or dom0_max_vcpus=8 dom0_vcpus_pin at boot. Guests lose these CPUs.",
    }
    fires: |h| {
        h.insert("/proc/xen/capabilities", "control_d\n");
        h.insert(
            "/commands/xm vcpu-list",
            "Name                              ID  VCPUs   CPU State   Time(s) CPU Affinity\n\
             Domain-0                           0     0     3   r--     842.1 any cpu\n\
             Domain-0                           0     1     5   -b-     512.3 0-7\n\
             guest                              1     0     9   -b-      12.0 any cpu\n",
        );
    },
    clean: |h| {
        h.insert("/proc/xen/capabilities", "control_d\n");
        h.insert(
            "/commands/xl vcpu-list",
            "Name                                ID  VCPU   CPU State   Time(s) Affinity (Hard / Soft)\n\
             Domain-0                             0     0    1   -b-    2145.2  0-7 / all\n\
             guest                                1     0    9   -b-      12.0  all / all\n",
        );
    },
}

/// The tools that say it; the older one has the same table and the same words.
const TOOLS: [&str; 2] = ["xl", "xm"];

fn list_of(tool: &str) -> String {
    format!("/commands/{tool} vcpu-list")
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    let capabilities = view.host.text("/proc/xen/capabilities");
    let is_control = capabilities.is_some_and(|c| c.contains("control_d"));
    let said = |tool: &&'static str| Some((*tool, view.host.text(&list_of(tool))?));
    let list = TOOLS.iter().find_map(said);
    match list {
        None if is_control => answer.miss(list_of(TOOLS[0])),
        // Any other host is not asked: only the control domain sees the list.
        None => {}
        Some((tool, list)) => answer.look(unpinned(tool, list)),
    }
    answer
}

/// How many vcpus of Domain-0 may run anywhere.
fn unpinned(tool: &str, list: &str) -> Option<Symptom> {
    let lines = list.lines().filter(|line| line.starts_with("Domain-0 "));
    // Name, ID, VCPU, CPU, state, time, and then the hard affinity.
    let affinities: Vec<&str> = lines
        .filter_map(|line| line.split_whitespace().nth(6))
        .collect();
    let free = affinities.iter().filter(|a| matches!(**a, "any" | "all"));
    let (free, all) = (free.count(), affinities.len());
    // No more than it has: the host may not have more CPUs.
    let own = all.min(8);
    (free > 0).then(|| {
        Symptom::new(
            "",
            format!("{free} of {all} vcpus of Domain-0 may run on any CPU"),
        )
        .wanted(
            "CPUs of its own; `all all` pins nothing",
            &format!(
                "{tool} vcpu-set Domain-0 {own}; {tool} vcpu-pin Domain-0 all 0-{}",
                own - 1
            ),
        )
    })
}
