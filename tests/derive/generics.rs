//! Generic entities, and structs that a macro writes.

use std::fmt::Debug;
use std::marker::PhantomData;

use diesel::serialize::ToSql;
use diesel::sql_types::{Integer, Text};
use diesel::sqlite::Sqlite;
use diesel_versioned::version::Moment;
use diesel_versioned::{Bind, EntityKey, Versioned, VersionedPart};

use crate::names;

diesel::table! {
    documents (id) {
        id -> Integer,
        body -> Text,
        kind -> Text,
        version -> Integer,
    }
}

#[derive(Clone, Versioned)]
#[diesel(table_name = documents)]
struct Document<K, B: Debug, P, const N: usize = 0>
where
    K: Debug,
{
    id: K,
    body: B,
    #[diesel(embed)]
    kind: P,
    #[version]
    version: i32,
}

#[derive(Clone, VersionedPart)]
#[diesel(table_name = documents)]
struct Kind<S: Debug> {
    kind: S,
}

#[test]
fn a_generic_entity_is_one_for_every_type_that_fits() {
    let base = Document::<_, _, _, 3> {
        id: 1,
        body: "a".to_owned(),
        kind: Kind {
            kind: "k".to_owned(),
        },
        version: 1,
    };
    let mut mine = base.clone();
    mine.body.push('b');
    mine.kind.kind.push('b');
    assert_eq!(names_of(&mine, &base), ["body", "kind"]);
    assert_eq!(mine.key(), 1);
}

fn names_of<T: Versioned>(mine: &T, base: &T) -> Vec<&'static str> {
    names::<T>(mine.changed(base))
}

/// Compiles if the derive asks no more of the parameters than the values need.
fn is_bound_for_sqlite<K, B>() -> usize
where
    K: EntityKey + ToSql<Integer, Sqlite>,
    B: Debug + Clone + PartialEq + Send + Sync + 'static + ToSql<Text, Sqlite>,
{
    fn bind<T: Bind<Sqlite>>() -> usize {
        T::COLUMN_COUNT
    }
    bind::<Document<K, B, Kind<String>>>()
}

#[test]
fn a_generic_entity_is_bound_where_its_values_are() {
    assert_eq!(is_bound_for_sqlite::<i32, String>(), 4);
}

#[derive(Clone)]
struct Id<T>(i32, PhantomData<T>);

impl<T> From<Id<T>> for i32 {
    fn from(id: Id<T>) -> Self {
        id.0
    }
}

#[derive(Clone, Versioned)]
#[diesel(table_name = documents)]
struct Marked<T> {
    #[diesel(serialize_as = i32)]
    id: Id<T>,
    #[version]
    version: i32,
}

#[test]
fn a_converted_key_may_be_generic() {
    let row = Marked {
        id: Id(7, PhantomData::<String>),
        version: 1,
    };
    assert_eq!(row.key(), 7);
}

macro_rules! entity {
    ($(#[$meta:meta])* $name:ident, $table:path, $key:ident: $key_type:ty, $version:ty, $initial:expr, $embed:ty) => {
        #[derive(Clone, Versioned)]
        $(#[$meta])*
        #[diesel(table_name = $table)]
        struct $name {
            $key: $key_type,
            #[version(initial = $initial)]
            version: $version,
            #[diesel(embed)]
            kind: $embed,
        }
    };
}

entity!(
    #[diesel(primary_key(id))]
    FromMacro, documents, id: i32, i32, 40 + 2, Kind<String>
);

#[test]
fn a_macro_may_write_the_struct() {
    let row = FromMacro {
        id: 1,
        version: 2,
        kind: Kind {
            kind: String::new(),
        },
    };
    assert_eq!((row.key(), row.version()), (1, 2));
    assert_eq!(FromMacro::initial_version(&Moment::new()).ok(), Some(42));
    assert_eq!(FromMacro::COLUMN_COUNT, 3);
}
