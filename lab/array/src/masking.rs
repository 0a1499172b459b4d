//! Who sees which LUN, and where: igroups and exports, as an array's management has them.
//!
//! An *igroup* is a named set of initiators. An *export* shows one LUN over some ports to one igroup, under a LUN id.
//! What is not exported to a client over the port that it comes to is not there for it.

mod error;
mod export;
mod initiator;

pub use error::MaskingError;
pub use export::{Export, ExportRequest, ExportState};
pub use initiator::{Client, Initiator, InitiatorError};

use serde::{Deserialize, Serialize};

/// The igroup of every client. It is always there.
pub const EVERYONE: &str = "all";

/// The most igroups, the one of everyone among them.
pub const MOST_IGROUPS: usize = 256;
/// The most initiators in all igroups together.
pub const MOST_INITIATORS: usize = 4096;
/// The most exports beside one for each LUN.
pub const MOST_EXPORTS: usize = 1024;

/// A named set of initiators.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Igroup {
    /// Its name: letters, digits, `.`, `_` and `-`.
    pub name: String,
    /// Who is in it.
    pub initiators: Vec<Initiator>,
}

/// All igroups and exports of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masking {
    ports: Vec<String>,
    luns: u32,
    igroups: Vec<Igroup>,
    /// By their numbers.
    exports: Vec<Export>,
    next: u32,
}

impl Masking {
    /// Every LUN for everyone over every port, with LUN ids from 1.
    pub fn open(ports: Vec<String>, luns: u32) -> Self {
        let all: Vec<u32> = (0..ports.len() as u32).collect();
        let export = |lun| Export {
            id: lun + 1,
            lun,
            ports: all.clone(),
            igroup: EVERYONE.to_owned(),
            lun_id: lun + 1,
            name: None,
            container: None,
        };
        Masking {
            exports: (0..luns).map(export).collect(),
            next: luns + 1,
            ..Self::closed(ports, luns)
        }
    }

    /// Nothing for anybody.
    pub fn closed(ports: Vec<String>, luns: u32) -> Self {
        let everyone = Igroup {
            name: EVERYONE.to_owned(),
            initiators: vec![Initiator::Everyone],
        };
        Masking {
            ports,
            luns,
            igroups: vec![everyone],
            exports: Vec::new(),
            next: 1,
        }
    }

    /// The LUNs that are there for a client that comes to a port, by their LUN ids.
    pub fn visible(&self, client: &Client, port: u32) -> Vec<u32> {
        let mut seen: Vec<_> = self
            .shown(client, port)
            .map(|e| (e.lun_id, e.lun))
            .collect();
        seen.sort_unstable();
        let mut luns: Vec<u32> = Vec::with_capacity(seen.len());
        let mut there = vec![false; self.luns as usize];
        for (_, lun) in seen {
            if !std::mem::replace(&mut there[lun as usize], true) {
                luns.push(lun);
            }
        }
        luns
    }

    /// True where a LUN is there for a client that comes to a port.
    pub fn sees(&self, client: &Client, port: u32, lun: u32) -> bool {
        self.shown(client, port).any(|e| e.lun == lun)
    }

    fn shown(&self, client: &Client, port: u32) -> impl Iterator<Item = &Export> {
        let has_it = |g: &&Igroup| g.initiators.iter().any(|i| i.names(client));
        let groups: Vec<&str> = self
            .igroups
            .iter()
            .filter(has_it)
            .map(|g| &*g.name)
            .collect();
        let is_shown = move |e: &&Export| e.ports.contains(&port) && groups.contains(&&*e.igroup);
        self.exports.iter().filter(is_shown)
    }

    /// The igroups, everyone first.
    pub fn igroups(&self) -> &[Igroup] {
        &self.igroups
    }

    /// The exports, by their numbers.
    pub fn exports(&self) -> &[Export] {
        &self.exports
    }

    /// The names of the ports.
    pub fn ports(&self) -> &[String] {
        &self.ports
    }

    /// Makes an igroup, or changes who is in it.
    pub fn put_igroup(&mut self, igroup: Igroup) -> Result<(), MaskingError> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if !(1..=64).contains(&igroup.name.len()) || !igroup.name.chars().all(allowed) {
            return Err(MaskingError::Name(igroup.name));
        }
        if igroup.name == EVERYONE {
            return Err(MaskingError::Everyone);
        }
        let others = self.igroups.iter().filter(|g| g.name != igroup.name);
        let (groups, initiators) = others.fold((1, igroup.initiators.len()), |(n, i), g| {
            (n + 1, i + g.initiators.len())
        });
        full("igroups", groups, MOST_IGROUPS)?;
        full("initiators", initiators, MOST_INITIATORS)?;
        match self.igroups.iter_mut().find(|g| g.name == igroup.name) {
            Some(old) => *old = igroup,
            None => self.igroups.push(igroup),
        }
        Ok(())
    }

    /// Removes an igroup that has no exports.
    pub fn remove_igroup(&mut self, name: &str) -> Result<(), MaskingError> {
        if name == EVERYONE {
            return Err(MaskingError::Everyone);
        }
        self.igroup(name)?;
        let exports = self.exports.iter().filter(|e| e.igroup == name).count();
        if exports > 0 {
            let igroup = name.to_owned();
            return Err(MaskingError::InUse { igroup, exports });
        }
        self.igroups.retain(|g| g.name != name);
        Ok(())
    }

    /// Exports a LUN; the number of the export.
    pub fn export(&mut self, request: ExportRequest) -> Result<u32, MaskingError> {
        let ExportRequest { lun, igroup, .. } = request;
        if lun >= self.luns {
            let luns = self.luns;
            return Err(MaskingError::NoLun { lun, luns });
        }
        self.igroup(&igroup)?;
        let most = MOST_EXPORTS + self.luns as usize;
        full("exports", self.exports.len() + 1, most)?;
        let ports = self.numbers(request.ports)?;
        let meets = || self.exports.iter().filter(|e| e.meets(&igroup, &ports));
        if let Some(by) = meets().find(|e| e.lun == lun).map(|e| e.id) {
            return Err(MaskingError::Twice { lun, igroup, by });
        }
        let of = |lun_id| meets().find(|e| e.lun_id == lun_id).map(|e| e.lun);
        let lun_id = request
            .lun_id
            .unwrap_or_else(|| (1..).find(|id| of(*id).is_none()).unwrap_or_default());
        if let Some(lun) = of(lun_id) {
            return Err(MaskingError::LunId {
                lun_id,
                igroup,
                lun,
            });
        }
        let id = self.next;
        self.next += 1;
        self.exports.push(Export {
            id,
            lun,
            ports,
            igroup,
            lun_id,
            name: request.name,
            container: request.container,
        });
        Ok(id)
    }

    /// No host of its igroup sees the LUN by it any more; its number is never used again.
    pub fn remove_export(&mut self, id: u32) -> Result<(), MaskingError> {
        let at = self.exports.iter().position(|e| e.id == id);
        self.exports.remove(at.ok_or(MaskingError::NoExport(id))?);
        Ok(())
    }

    fn igroup(&self, name: &str) -> Result<(), MaskingError> {
        let known = self.igroups.iter().any(|g| g.name == name);
        known
            .then_some(())
            .ok_or_else(|| MaskingError::NoIgroup(name.to_owned()))
    }

    /// The ports of these names, in order; all of them for none.
    fn numbers(&self, names: Option<Vec<String>>) -> Result<Vec<u32>, MaskingError> {
        let Some(names) = names else {
            return Ok((0..self.ports.len() as u32).collect());
        };
        let number = |name: String| match self.ports.iter().position(|p| *p == name) {
            Some(at) => Ok(at as u32),
            None => Err(MaskingError::NoPort {
                port: name,
                known: self.ports.join(", "),
            }),
        };
        let mut numbers = names
            .into_iter()
            .map(number)
            .collect::<Result<Vec<_>, _>>()?;
        numbers.sort_unstable();
        numbers.dedup();
        match numbers.is_empty() {
            true => Err(MaskingError::NoPorts),
            false => Ok(numbers),
        }
    }
}

/// An error where there would be more than the most.
fn full(what: &'static str, would_be: usize, most: usize) -> Result<(), MaskingError> {
    match would_be > most {
        true => Err(MaskingError::Full { what, most }),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WEB: Client = Client::Ip(std::net::IpAddr::V4(std::net::Ipv4Addr::new(10, 1, 0, 7)));
    const LOCAL: Client = Client::Unix { uid: 1000 };
    const A: u32 = 0;
    const B: u32 = 1;

    fn ports() -> Vec<String> {
        ["hca-a", "hca-b"].map(String::from).to_vec()
    }

    fn request(lun: u32, ports: &[&str], igroup: &str, lun_id: Option<u32>) -> ExportRequest {
        let names = ports.iter().map(|p| p.to_string()).collect();
        ExportRequest {
            lun,
            ports: (!ports.is_empty()).then_some(names),
            igroup: igroup.to_owned(),
            lun_id,
            name: None,
            container: None,
        }
    }

    /// Four LUNs that nobody sees, and an igroup of the clients of 10.1.0.0/16.
    fn four() -> Masking {
        let mut masking = Masking::closed(ports(), 4);
        masking
            .put_igroup(Igroup {
                name: "web".to_owned(),
                initiators: vec!["10.1.0.0/16".parse().unwrap()],
            })
            .unwrap();
        masking
    }

    #[test]
    fn by_default_everyone_sees_every_lun_over_every_port_with_ids_from_1() {
        let masking = Masking::open(ports(), 3);
        for (client, port) in [(WEB, A), (WEB, B), (LOCAL, A)] {
            assert_eq!(masking.visible(&client, port), [0, 1, 2]);
        }
        let ids: Vec<_> = masking.exports().iter().map(|e| e.lun_id).collect();
        assert_eq!(ids, [1, 2, 3]);
    }

    #[test]
    fn a_client_sees_what_is_exported_to_its_igroups_over_its_port() {
        let mut masking = four();
        for lun in [
            request(0, &["hca-a"], "web", None),
            request(1, &[], "web", None),
            request(2, &["hca-b"], EVERYONE, None),
        ] {
            masking.export(lun).unwrap();
        }
        assert_eq!(masking.visible(&WEB, A), [0, 1]);
        // Both have LUN id 1 there: one by each igroup.
        assert_eq!(masking.visible(&WEB, B), [2, 1]);
        assert!(masking.visible(&LOCAL, A).is_empty());
        assert_eq!(masking.visible(&LOCAL, B), [2]);
        assert!(masking.sees(&WEB, B, 1) && !masking.sees(&LOCAL, B, 1));
        assert!(!masking.sees(&WEB, A, 3));
    }

    #[test]
    fn luns_are_listed_by_their_ids_and_once() {
        let mut masking = four();
        masking.export(request(3, &[], EVERYONE, Some(1))).unwrap();
        masking.export(request(0, &[], EVERYONE, Some(9))).unwrap();
        masking.export(request(0, &[], "web", Some(4))).unwrap();
        masking.export(request(1, &[], "web", Some(7))).unwrap();
        assert_eq!(masking.visible(&WEB, A), [3, 0, 1]);
    }

    #[test]
    fn what_is_removed_or_left_out_of_an_igroup_is_not_there_any_more() {
        let mut masking = four();
        let id = masking.export(request(0, &[], "web", None)).unwrap();
        let other = masking.export(request(1, &[], "web", None)).unwrap();
        masking.remove_export(id).unwrap();
        assert_eq!(masking.visible(&WEB, A), [1]);
        assert_eq!(masking.remove_export(id), Err(MaskingError::NoExport(id)));
        // Numbers are not used again.
        let next = masking.export(request(0, &[], "web", None)).unwrap();
        assert!(next > other);
        let nobody = Igroup {
            name: "web".to_owned(),
            initiators: Vec::new(),
        };
        masking.put_igroup(nobody).unwrap();
        assert!(masking.visible(&WEB, A).is_empty());
    }

    #[test]
    fn what_contradicts_is_refused() {
        let mut masking = four();
        let id = masking
            .export(request(0, &["hca-a"], "web", Some(5)))
            .unwrap();
        let twice = masking.export(request(0, &[], "web", None)).unwrap_err();
        let same_id = masking.export(request(1, &[], "web", Some(5))).unwrap_err();
        let in_use = masking.remove_igroup("web").unwrap_err();
        let everyone = masking.remove_igroup(EVERYONE).unwrap_err();
        for error in [&twice, &same_id, &in_use, &everyone] {
            assert!(error.is_conflict(), "{error}");
        }
        // Over another port there is no contradiction.
        masking
            .export(request(1, &["hca-b"], "web", Some(5)))
            .unwrap();
        for (wrong, says) in [
            (request(9, &[], "web", None), "no LUN 9; the array has 4"),
            (
                request(2, &["hca-c"], "web", None),
                "the array has hca-a, hca-b",
            ),
            (request(2, &[], "db", None), "no igroup \"db\""),
        ] {
            let error = masking.export(wrong).unwrap_err();
            assert!(
                error.to_string().contains(says) && !error.is_conflict(),
                "{error}"
            );
        }
        masking.remove_export(id).unwrap();
        let odd = Igroup {
            name: "a/b".to_owned(),
            initiators: Vec::new(),
        };
        assert!(matches!(
            masking.put_igroup(odd),
            Err(MaskingError::Name(_))
        ));
    }

    #[test]
    fn there_are_only_so_many_of_each_and_what_is_there_may_still_change() {
        let mut masking = four();
        let group = |name: String, count: usize| Igroup {
            name,
            initiators: (0..count)
                .map(|n| format!("unix:{n}").parse().unwrap())
                .collect(),
        };
        let many = masking.put_igroup(group("web".to_owned(), MOST_INITIATORS + 1));
        let says = many.unwrap_err().to_string();
        assert!(says.contains("at most 4096 initiators"), "{says}");
        for n in 0..MOST_IGROUPS - 2 {
            masking.put_igroup(group(format!("g{n}"), 1)).unwrap();
        }
        let one_more = masking.put_igroup(group("more".to_owned(), 0)).unwrap_err();
        assert!(
            one_more.is_conflict() && one_more.to_string().contains("256"),
            "{one_more}"
        );
        masking.put_igroup(group("g0".to_owned(), 5)).unwrap();
        masking.remove_igroup("g1").unwrap();
        masking.put_igroup(group("more".to_owned(), 0)).unwrap();
        let mut exported = 0;
        'all: for n in 2..MOST_IGROUPS {
            for lun in 0..4 {
                for port in ["hca-a", "hca-b"] {
                    let igroup = format!("g{n}");
                    if let Err(error) = masking.export(request(lun, &[port], &igroup, None)) {
                        assert!(error.to_string().contains("exports"), "{error}");
                        break 'all;
                    }
                    exported += 1;
                }
            }
        }
        assert_eq!(exported, MOST_EXPORTS + 4);
    }

    #[test]
    fn an_export_is_ha_over_two_ports_that_work() {
        let masking = Masking::open(ports(), 1);
        let state = |ports: [bool; 2]| masking.exports()[0].state(&ports);
        assert_eq!(state([true, true]), ExportState::Ha);
        assert_eq!(state([true, false]), ExportState::Degraded);
        assert_eq!(state([false, true]), ExportState::Degraded);
        assert_eq!(state([false, false]), ExportState::Down);
    }
}
