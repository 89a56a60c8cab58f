//! The derive in a crate that is strict, has no prelude, and knows the library by another name:
//! this compiles without a warning, under clippy too.

#![deny(warnings, missing_docs, unreachable_pub, unused, unused_qualifications)]
#![deny(
    single_use_lifetimes,
    trivial_casts,
    unused_lifetimes,
    elided_lifetimes_in_paths
)]
#![deny(
    clippy::all,
    clippy::pedantic,
    clippy::unwrap_used,
    clippy::indexing_slicing
)]

extern crate diesel_versioned as another_name;

// Outside, for `table!` needs the prelude and has no documentation.
mod schema {
    diesel::table! {
        crates (id, line) {
            id -> Integer,
            line -> Integer,
            width -> Integer,
            unit -> Text,
            weight -> Double,
            version -> Integer,
            changed_at -> Timestamp,
            token -> Binary,
        }
    }
}

/// No prelude here.
#[no_implicit_prelude]
pub mod strict {
    use ::std::clone::Clone;
    use ::std::cmp::PartialEq;
    use ::std::marker::Copy;
    use ::std::string::String;

    use crate::another_name;

    // What is here by the names that the generated code uses.
    macro_rules! in_the_way {
        ($($name:ident)*) => {$(
            #[allow(dead_code, non_camel_case_types)]
            struct $name;
        )*};
    }

    in_the_way!(Option Some None Result Ok Err Vec Versioned Column ColumnSet Role Into TypeId);
    in_the_way!(Debug Merge Unmergeable Shown ShowHidden);
    in_the_way!(Send Sync std core diesel diesel_versioned);
    // A column's name is that of a unit struct where someone has `use crates::dsl::*`.
    in_the_way!(id line version key column part out index base converted mine theirs from);
    in_the_way!(V Moment NoVersion Precision moment initial has_kind changed_at token);

    /// An entity with everything that the derive can be given.
    #[derive(Clone, another_name::Versioned)]
    #[diesel(table_name = crate::schema::crates, primary_key(line, id), belongs_to(Plain, foreign_key = id))]
    #[versioned(crate = "another_name", merge(independent(weight, size)))]
    pub struct Crate<T: Clone + Copy>
    where
        T: PartialEq,
    {
        pub(crate) id: i32,
        pub(crate) line: i32,
        #[diesel(embed)]
        pub(crate) size: Size,
        #[diesel(serialize_as = f64, skip_insertion)]
        pub(crate) weight: T,
        #[version(initial = 2, wrap)]
        pub(crate) version: i32,
    }

    /// A part of nothing but parts.
    #[derive(Clone, another_name::VersionedPart)]
    #[diesel(table_name = crate::schema::crates)]
    #[versioned(crate = crate::another_name)]
    pub struct Size {
        #[diesel(embed)]
        pub(crate) width: Width,
        #[diesel(embed, skip_update)]
        pub(crate) unit: Unit,
    }

    /// A tuple struct.
    #[derive(Clone, another_name::VersionedPart)]
    #[diesel(table_name = crate::schema::crates)]
    #[versioned(crate = "another_name")]
    pub struct Width(#[diesel(column_name = width)] pub(crate) i32);

    /// A plain part.
    #[derive(Clone, another_name::VersionedPart)]
    #[diesel(table_name = crate::schema::crates)]
    #[versioned(crate = "crate::another_name")]
    pub struct Unit {
        pub(crate) unit: String,
    }

    /// A plain entity.
    #[derive(Clone, another_name::Versioned)]
    #[diesel(table_name = crate::schema::crates)]
    #[versioned(crate = "another_name")]
    pub struct Plain {
        pub(crate) id: i32,
        pub(crate) weight: f64,
        #[version]
        pub(crate) version: i32,
    }

    /// An entity whose version is a time.
    #[derive(Clone, another_name::Versioned)]
    #[diesel(table_name = crate::schema::crates)]
    #[versioned(crate = "another_name")]
    pub struct Stamped {
        pub(crate) id: i32,
        #[version(precision = "seconds")]
        pub(crate) changed_at: ::std::time::SystemTime,
    }

    /// An entity whose version is a UUID.
    #[derive(Clone, another_name::Versioned)]
    #[diesel(table_name = crate::schema::crates)]
    #[versioned(crate = "another_name")]
    pub struct Tokened {
        pub(crate) id: i32,
        #[version(uuid = "v4")]
        pub(crate) token: ::uuid::Uuid,
    }
}

#[test]
fn nothing_is_mistaken_for_a_name_of_this_crate() {
    use another_name::Versioned as _;
    use strict::{Crate, Plain, Size, Unit, Width};

    let plain = Plain {
        id: 1,
        weight: 1.5,
        version: 1,
    };
    let row = Crate {
        id: 1,
        line: 2,
        size: Size {
            width: Width(3),
            unit: Unit {
                unit: String::new(),
            },
        },
        weight: plain.weight,
        version: 1,
    };
    assert_eq!((row.key(), plain.key()), ((2, 1), 1));
    assert!(row.changed(&row.clone()).is_empty());
    let (mut mine, mut theirs) = (row.clone(), row.clone());
    mine.size.width = Width(4);
    theirs.weight = 2.5;
    let merged = <Crate<f64> as another_name::Merge>::merge(&row, &mine, theirs);
    let merged = merged.map(|merged| (merged.size.width.0, merged.weight));
    assert_eq!(merged, Ok((4, 2.5)));
    // Of a generic field it is not known whether it can be shown.
    let shown = [2, 4].map(|index| format!("{:?}", mine.column_value(index)));
    assert_eq!(shown, ["…", "4"]);
    let names: Vec<_> = (0..6)
        .map(|index| Crate::<f64>::column(index).name)
        .collect();
    assert_eq!(names, ["id", "line", "weight", "version", "width", "unit"]);
}

#[test]
fn the_options_of_a_version_reach_its_next_one() {
    use another_name::Versioned as _;
    use another_name::version::Moment;
    use std::time::{Duration, SystemTime};
    use strict::{Stamped, Tokened};

    let now = SystemTime::UNIX_EPOCH + Duration::from_millis(5_900);
    let moment = Moment::at(now);
    let stamped = Stamped {
        id: 1,
        changed_at: now,
    };
    let seconds = |count| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(count));
    assert_eq!(Stamped::initial_version(&moment).ok(), seconds(5));
    assert_eq!(
        stamped.next_version(&moment, Stamped::VERSION_COLUMNS).ok(),
        seconds(6)
    );

    let tokened = Tokened {
        id: 1,
        token: uuid::Uuid::nil(),
    };
    for token in [
        Tokened::initial_version(&moment),
        tokened.next_version(&moment, Tokened::VERSION_COLUMNS),
    ] {
        assert_eq!(token.map(|uuid| uuid.get_version_num()).ok(), Some(4));
    }
    assert_eq!((stamped.key(), tokened.key()), (1, 1));
}
