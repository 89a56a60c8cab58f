//! The order of a unit's statements: parents before children where rows come, children before
//! parents where they go.

use std::any::TypeId;

/// What kind of write a group of rows needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Operation {
    /// Rows go.
    Delete,
    /// Rows change.
    Update,
    /// Rows come; a row that needs the key of another one of this unit has a higher level.
    Insert {
        /// How many rows of this unit must be there before.
        level: u32,
    },
}

impl Operation {
    /// For people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Delete => "delete",
            Self::Update => "update",
            Self::Insert { .. } => "insert",
        }
    }
}

/// One node of the order: one kind of write to the rows of one entity type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node {
    /// Which of the unit's entity types.
    pub(crate) set: usize,
    /// Which kind of write.
    pub(crate) operation: Operation,
}

/// A table: its name, and the path of its `table!`, for there may be two of one name in different
/// schemas. The order of tables is that of the names, so that all programs lock in one order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) path: &'static str,
}

/// What the order needs to know of an entity type.
#[derive(Debug)]
pub(crate) struct Kinship {
    pub(crate) entity: TypeId,
    pub(crate) table: Table,
    pub(crate) parents: Vec<TypeId>,
}

/// Sorts the nodes.
///
/// Hard edges come from `belongs_to`: a parent is inserted before a child is inserted or updated,
/// a child is deleted or updated before a parent is deleted. Soft edges are inside a table:
/// delete, update, insert, so that a unique value can be freed and taken again; one that closes a
/// circle is dropped. `links` are further hard edges between inserts. What remains open is decided
/// by kind, table and type, the same way in every unit.
pub(crate) fn sort(nodes: &[Node], kinship: &[Kinship], links: &[(Node, Node)]) -> Vec<Node> {
    let mut edges = Edges::new(nodes.len());
    let position = |node: &Node| nodes.iter().position(|other| other == node);
    for (before, after) in links {
        if let (Some(before), Some(after)) = (position(before), position(after)) {
            edges.add(before, after);
        }
    }
    for (a, before) in nodes.iter().enumerate() {
        for (b, after) in nodes.iter().enumerate() {
            if a != b && is_hard(before, after, kinship) {
                edges.add(a, b);
            }
        }
    }
    for (a, before) in nodes.iter().enumerate() {
        for (b, after) in nodes.iter().enumerate() {
            let same_table = kinship[before.set].table == kinship[after.set].table;
            if same_table && rank(before) < rank(after) && !edges.reaches(b, a) {
                edges.add(a, b);
            }
        }
    }
    let priority = |index: &usize| {
        let node = nodes[*index];
        (node.operation, kinship[node.set].table, node.set)
    };
    let mut open: Vec<usize> = (0..nodes.len()).collect();
    let mut sorted = Vec::with_capacity(nodes.len());
    while !open.is_empty() {
        let free = open
            .iter()
            .copied()
            .filter(|&node| edges.is_free(node, &open));
        // A circle of parents has no free node; a deferred constraint may still accept it.
        let Some(next) = free
            .min_by_key(priority)
            .or_else(|| open.iter().copied().min_by_key(priority))
        else {
            break;
        };
        open.retain(|&node| node != next);
        sorted.push(nodes[next]);
    }
    sorted
}

fn rank(node: &Node) -> u8 {
    match node.operation {
        Operation::Delete => 0,
        Operation::Update => 1,
        Operation::Insert { .. } => 2,
    }
}

fn is_hard(before: &Node, after: &Node, kinship: &[Kinship]) -> bool {
    use Operation::{Delete, Insert, Update};
    let parent_of = |parent: &Node, child: &Node| {
        let (parent, child) = (&kinship[parent.set], &kinship[child.set]);
        child.parents.iter().any(|&entity| {
            entity == parent.entity
                || kinship
                    .iter()
                    .any(|other| other.entity == entity && other.table == parent.table)
        })
    };
    match (before.operation, after.operation) {
        (Insert { .. }, Insert { .. }) => before.set != after.set && parent_of(before, after),
        (Insert { .. }, Update) => parent_of(before, after),
        (Delete, Delete) | (Update, Delete) => parent_of(after, before),
        _ => false,
    }
}

/// A relation between nodes, as a square matrix: units have few of them.
struct Edges {
    size: usize,
    before: Vec<bool>,
}

impl Edges {
    fn new(size: usize) -> Self {
        Self {
            size,
            before: vec![false; size * size],
        }
    }

    fn add(&mut self, before: usize, after: usize) {
        self.before[before * self.size + after] = true;
    }

    fn has(&self, before: usize, after: usize) -> bool {
        self.before[before * self.size + after]
    }

    fn is_free(&self, node: usize, open: &[usize]) -> bool {
        !open.iter().any(|&other| self.has(other, node))
    }

    fn reaches(&self, from: usize, to: usize) -> bool {
        let mut seen = vec![false; self.size];
        let mut rest = vec![from];
        while let Some(node) = rest.pop() {
            if node == to {
                return true;
            }
            if !std::mem::replace(&mut seen[node], true) {
                rest.extend((0..self.size).filter(|&next| self.has(node, next)));
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::Operation::{Delete, Insert, Update};
    use super::*;

    fn table(name: &'static str) -> Table {
        Table { name, path: name }
    }

    struct Parent;
    struct Child;
    struct Other;

    fn kinship() -> Vec<Kinship> {
        vec![
            Kinship {
                entity: TypeId::of::<Child>(),
                table: table("children"),
                parents: vec![TypeId::of::<Parent>()],
            },
            Kinship {
                entity: TypeId::of::<Parent>(),
                table: table("parents"),
                parents: vec![],
            },
            Kinship {
                entity: TypeId::of::<Other>(),
                table: table("children"),
                parents: vec![],
            },
        ]
    }

    fn node(set: usize, operation: Operation) -> Node {
        Node { set, operation }
    }

    fn place(sorted: &[Node], set: usize, operation: Operation) -> usize {
        sorted
            .iter()
            .position(|other| *other == node(set, operation))
            .expect("the node is there")
    }

    #[test]
    fn parents_come_first_and_go_last() {
        let insert = Insert { level: 0 };
        let mut nodes = Vec::new();
        for set in [0, 1] {
            nodes.extend([node(set, insert), node(set, Update), node(set, Delete)]);
        }
        let sorted = sort(&nodes, &kinship(), &[]);
        assert_eq!(sorted.len(), 6);
        assert!(place(&sorted, 1, insert) < place(&sorted, 0, insert));
        assert!(place(&sorted, 1, insert) < place(&sorted, 0, Update));
        assert!(place(&sorted, 0, Delete) < place(&sorted, 1, Delete));
        assert!(place(&sorted, 0, Update) < place(&sorted, 1, Delete));
    }

    #[test]
    fn inside_a_table_rows_go_before_they_come() {
        let insert = Insert { level: 0 };
        let nodes = [node(0, insert), node(2, Update), node(2, Delete)];
        let sorted = sort(&nodes, &kinship(), &[]);
        assert_eq!(sorted, [node(2, Delete), node(2, Update), node(0, insert)]);
    }

    #[test]
    fn a_table_that_refers_to_itself_moves_its_children_before_it_deletes() {
        let kinship = [Kinship {
            entity: TypeId::of::<Child>(),
            table: table("nodes"),
            parents: vec![TypeId::of::<Child>()],
        }];
        let insert = Insert { level: 0 };
        let deeper = Insert { level: 1 };
        let nodes = [
            node(0, Delete),
            node(0, Update),
            node(0, deeper),
            node(0, insert),
        ];
        let links = [(node(0, insert), node(0, deeper))];
        let sorted = sort(&nodes, &kinship, &links);
        assert_eq!(
            sorted,
            [
                node(0, insert),
                node(0, deeper),
                node(0, Update),
                node(0, Delete)
            ]
        );
    }

    #[test]
    fn a_circle_of_parents_still_has_an_order() {
        let kinship = [
            Kinship {
                entity: TypeId::of::<Parent>(),
                table: table("a"),
                parents: vec![TypeId::of::<Child>()],
            },
            Kinship {
                entity: TypeId::of::<Child>(),
                table: table("b"),
                parents: vec![TypeId::of::<Parent>()],
            },
        ];
        let nodes = [node(0, Insert { level: 0 }), node(1, Insert { level: 0 })];
        assert_eq!(sort(&nodes, &kinship, &[]).len(), 2);
    }
}
