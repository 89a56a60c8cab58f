//! Every shape that the derive accepts, without a warning.

#![deny(warnings, missing_docs)]

mod schema {
    diesel::table! {
        products (id, tenant) {
            id -> Integer,
            tenant -> Integer,
            name -> Text,
            width -> Integer,
            height -> Integer,
            version -> BigInt,
        }
    }
}

pub mod plain {
    //! Named fields, the table by its path, the derive by its path.

    #[derive(Clone, diesel_versioned::Versioned)]
    #[diesel(table_name = crate::schema::products)]
    /// A product.
    pub struct Product {
        /// The key.
        pub id: i32,
        /// The version.
        #[version]
        pub version: i64,
    }
}

pub mod in_a_function {
    //! A struct inside a function, its table inferred.

    /// Defines an entity.
    pub fn define() -> usize {
        use crate::schema::products;
        use diesel_versioned::Versioned;

        #[derive(Clone, Versioned)]
        struct Product {
            id: i32,
            tenant: i32,
            #[version(initial = {
                const FIRST: i64 = 3;
                FIRST
            })]
            version: i64,
        }

        let product = Product {
            id: 1,
            tenant: 2,
            version: 3,
        };
        product.key() as usize + product.tenant as usize
    }
}

pub mod composite {
    //! A tuple struct with a composite key and a part.

    use crate::schema::products;
    use diesel_versioned::{Versioned, VersionedPart};

    /// A part.
    #[derive(Clone, VersionedPart)]
    #[diesel(table_name = products)]
    pub struct Size<T> {
        /// The width.
        pub width: T,
        /// The height.
        pub height: T,
    }

    /// A product.
    #[derive(Clone, Versioned)]
    #[diesel(table_name = products, primary_key(tenant, id))]
    pub struct Product<T: Ord>(
        #[diesel(column_name = id)] pub i32,
        #[diesel(column_name = "tenant")] pub i32,
        #[diesel(embed)] pub Size<T>,
        #[diesel(column_name = version)]
        #[version]
        pub i64,
    )
    where
        T: Copy;
}

fn main() {
    in_a_function::define();
}
