//! The plan of a commit: which groups of rows are written in which order.

use std::any::TypeId;
use std::collections::HashMap;

use super::aggregate::touch_parents;
use super::core::Core;
use super::order::{self, Kinship, Node, Operation, Table};
use super::work::Group;
use super::{Link, SetCore};
use crate::backend::RowLocks;
use crate::error::CommitError;
use crate::version::Moment;

/// One step of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// Rows of a set are locked in key order, and those that must not have moved are looked at.
    Lock {
        /// Which set.
        set: usize,
        /// Only the rows that are checked, not those that are written.
        only_checks: bool,
    },
    /// Rows that refer to others of this unit are made, now that those are there.
    Resolve {
        /// Which set.
        set: usize,
        /// Which level of its inserts.
        level: u32,
    },
    /// Rows of a set are written.
    Write {
        /// Which set.
        set: usize,
        /// Which of its rows.
        group: Group,
    },
}

#[cfg(feature = "async")]
impl Step {
    /// Which set it is about.
    pub(crate) fn set(&self) -> usize {
        match self {
            Self::Lock { set, .. } | Self::Resolve { set, .. } | Self::Write { set, .. } => *set,
        }
    }
}

/// Prepares each set and puts what has to be done in order.
pub(super) fn plan<S: SetCore + ?Sized>(
    sets: &mut [(TypeId, Box<S>)],
    links: &mut [Link],
    row_locks: RowLocks,
) -> Result<Vec<Step>, CommitError> {
    set_levels(sets, links);
    let links = &*links;
    touch_parents(sets, links)?;
    // One for all rows of the commit, whatever becomes of it: it may be tried twice.
    let moment = Moment::new();
    for (index, (_, set)) in sets.iter_mut().enumerate() {
        let levels = links
            .iter()
            .filter(|link| link.child_set == index)
            .map(|link| (link.child_slot, link.level))
            .collect();
        set.core().prepare(&levels, &moment)?;
    }
    let cores: Vec<&dyn Core> = sets.iter().map(|(_, set)| set.core_ref()).collect();
    let kinship: Vec<Kinship> = cores.iter().map(|core| core.kinship()).collect();
    check_shared_tables(&cores, &kinship)?;
    let groups: Vec<Vec<Group>> = cores.iter().map(|core| core.groups()).collect();

    let mut nodes = Vec::new();
    for (set, groups) in groups.iter().enumerate() {
        for group in groups {
            let node = Node {
                set,
                operation: group.operation,
            };
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        }
    }
    let mut edges: Vec<(Node, Node)> = Vec::new();
    for link in links.iter().filter(|link| link.level > 0) {
        let insert = |set, level| Node {
            set,
            operation: Operation::Insert { level },
        };
        let edge = (
            insert(link.parent_set, link.level - 1),
            insert(link.child_set, link.level),
        );
        if !edges.contains(&edge) {
            edges.push(edge);
        }
    }
    let sorted = order::sort(&nodes, &kinship, &edges);

    let mut writes = Vec::new();
    for node in &sorted {
        if let Operation::Insert { level } = node.operation {
            let waits = |link: &Link| (link.child_set, link.level) == (node.set, level);
            if links.iter().any(waits) {
                writes.push(Step::Resolve {
                    set: node.set,
                    level,
                });
            }
        }
        for group in &groups[node.set] {
            if group.operation == node.operation {
                writes.push(Step::Write {
                    set: node.set,
                    group: group.clone(),
                });
            }
        }
    }
    let mut steps = locks(&cores, &kinship, &writes, row_locks);
    lock_shared_tables(sets, &kinship, &steps);
    steps.append(&mut writes);
    Ok(steps)
}

/// Two types may stand for one table, but only one entity of a unit can write a row: the second
/// would run into the version that the first one made.
fn check_shared_tables(cores: &[&dyn Core], kinship: &[Kinship]) -> Result<(), CommitError> {
    for (index, core) in cores.iter().enumerate() {
        let table = kinship[index].table;
        for earlier in (0..index).filter(|&earlier| kinship[earlier].table == table) {
            let mut twice: Vec<String> = core
                .written_keys()
                .intersection(&cores[earlier].written_keys())
                .cloned()
                .collect();
            twice.sort();
            if let Some(key) = twice.into_iter().next() {
                return Err(CommitError::Invalid {
                    table: table.name,
                    key,
                    problem: "two entities of different types write this row; change it through \
                              one of them",
                });
            }
        }
    }
    Ok(())
}

/// The reads that lock rows before the first write.
///
/// Where writers wait for each other row by row, two units never deadlock if both lock in one
/// order: by table, then by key. One statement that locks by itself in key order needs no help;
/// several do, unless they go through the tables in that order anyway. What must not have moved
/// is read under a lock in any case.
fn locks(
    cores: &[&dyn Core],
    kinship: &[Kinship],
    writes: &[Step],
    row_locks: RowLocks,
) -> Vec<Step> {
    let existing: Vec<Table> = writes
        .iter()
        .filter_map(|step| match step {
            Step::Write { set, group } if !matches!(group.operation, Operation::Insert { .. }) => {
                Some(kinship[*set].table)
            }
            _ => None,
        })
        .collect();
    let deletes_many = writes.iter().any(|step| {
        matches!(step, Step::Write { group, .. }
            if group.statement() == Operation::Delete && group.len() > 1)
    });
    let in_order = existing.windows(2).all(|pair| pair[0] < pair[1])
        && !(deletes_many && row_locks == RowLocks::DeletesAsFound);
    let any_checks = cores.iter().any(|core| core.checks() > 0);
    let all = row_locks != RowLocks::None && (!in_order || (any_checks && !existing.is_empty()));
    let mut sets: Vec<usize> = (0..cores.len())
        .filter(|&set| cores[set].checks() > 0 || (all && cores[set].has_existing()))
        .collect();
    sets.sort_by_key(|&set| (kinship[set].table, set));
    sets.into_iter()
        .map(|set| Step::Lock {
            set,
            only_checks: !all,
        })
        .collect()
}

/// Where several types stand for one table, the first one locks the rows of all of them, so that
/// these too are locked in the order of their keys. Types whose keys differ cannot be helped.
fn lock_shared_tables<S: SetCore + ?Sized>(
    sets: &mut [(TypeId, Box<S>)],
    kinship: &[Kinship],
    locks: &[Step],
) {
    for (index, step) in locks.iter().enumerate() {
        let Step::Lock { set, only_checks } = *step else {
            continue;
        };
        let first = locks[..index].iter().find_map(|step| match *step {
            Step::Lock { set: first, .. } if kinship[first].table == kinship[set].table => {
                Some(first)
            }
            _ => None,
        });
        if let Some(first) = first {
            let keys = sets[set].1.core_ref().keys_to_lock(only_checks);
            sets[first].1.core().lock_too(keys);
        }
    }
}

/// Tells each link how many rows of this unit must be there before its own.
fn set_levels<S: SetCore + ?Sized>(sets: &[(TypeId, Box<S>)], links: &mut [Link]) {
    let mut levels: HashMap<(usize, u32), u32> = HashMap::new();
    // A link is made after its parent's, so one pass is enough.
    for link in links {
        let pending = sets
            .get(link.parent_set)
            .is_some_and(|(_, set)| set.core_ref().is_pending(link.parent_slot));
        link.level = if pending {
            let parent = levels.get(&(link.parent_set, link.parent_slot));
            parent.copied().unwrap_or(0) + 1
        } else {
            0
        };
        levels.insert((link.child_set, link.child_slot), link.level);
    }
}
