//! What the derives write, one snapshot for each attribute, to be read as documentation.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse_quote;

use crate::{derive, newtype};

fn pretty(tokens: TokenStream) -> String {
    match syn::parse2(tokens) {
        Ok(file) => prettyplease::unparse(&file),
        Err(error) => format!("no items: {error}"),
    }
}

/// A snapshot of `#[derive(Versioned)]` on a struct.
macro_rules! versioned {
    ($name:ident, $($input:tt)*) => {
        #[test]
        fn $name() {
            insta::assert_snapshot!(pretty(derive::versioned(&parse_quote!($($input)*))));
        }
    };
}

versioned! { plain,
    struct Product {
        id: i32,
        name: String,
        #[version]
        version: i32,
    }
}

versioned! { version_initial,
    struct Product {
        id: i32,
        #[version(initial = 100)]
        version: i32,
    }
}

versioned! { version_precision,
    struct Product {
        id: i32,
        #[version(precision = "millis")]
        version: NaiveDateTime,
    }
}

versioned! { version_uuid,
    struct Product {
        id: i32,
        #[version(uuid = "v4")]
        version: Uuid,
    }
}

versioned! { version_wrap,
    struct Product<V> {
        id: i32,
        #[version(wrap)]
        version: V,
    }
}

versioned! { version_db,
    struct Product {
        id: i32,
        #[version(db)]
        version: i32,
    }
}

versioned! { role_columns,
    #[versioned(merge(independent(name, speed)))]
    struct Machine<T> {
        id: i32,
        name: String,
        speed: i32,
        #[versioned(unguarded)]
        last_seen: T,
        #[versioned(read_only)]
        rating: i32,
        #[versioned(insert_only)]
        serial: String,
        #[versioned(generated)]
        load: i32,
        #[version]
        version: i32,
    }
}

versioned! { role_part,
    struct Machine {
        id: i32,
        #[diesel(embed)]
        #[versioned(unguarded)]
        seen: Seen,
        #[diesel(embed)]
        #[versioned(generated)]
        load: Load,
        #[version]
        version: i32,
    }
}

versioned! { soft_delete,
    struct Note<T> {
        id: i32,
        text: T,
        #[versioned(soft_delete(precision = "millis"))]
        deleted_at: Option<NaiveDateTime>,
        #[version]
        version: i32,
    }
}

versioned! { versioned_crate,
    #[versioned(crate = "other::name")]
    struct Product {
        id: i32,
        #[version]
        version: i32,
    }
}

versioned! { merge_independent,
    #[versioned(merge(independent(title, r#type, size)))]
    struct Article<T> {
        id: i32,
        title: String,
        #[diesel(column_name = "type")]
        kind: Option<T>,
        author: i32,
        #[diesel(skip_update)]
        created_at: String,
        #[version]
        version: i32,
        #[diesel(embed)]
        size: Size,
    }
}

versioned! { table_name_and_primary_key,
    #[diesel(table_name = schema::lines, primary_key(order_id, number))]
    struct Line {
        number: i32,
        order_id: i32,
        #[version]
        version: i32,
    }
}

versioned! { belongs_to,
    #[diesel(belongs_to(Order), belongs_to(Article, foreign_key = sku))]
    struct Line {
        id: i32,
        #[version]
        version: i32,
    }
}

versioned! { touches,
    #[diesel(belongs_to(Order), belongs_to(Article, foreign_key = sku))]
    #[versioned(touches(Order, Article))]
    struct Line {
        id: i32,
        order_id: i32,
        #[diesel(serialize_as = String)]
        sku: Option<Sku>,
        #[version]
        version: i32,
    }
}

versioned! { check_for_backend,
    #[diesel(check_for_backend(Sqlite))]
    struct Product {
        id: i32,
        #[version]
        version: i32,
    }
}

versioned! { column_name_in_a_tuple,
    struct Product(
        #[diesel(column_name = id)] i32,
        #[diesel(column_name = "type")] String,
        #[version] #[diesel(column_name = version)] i32,
    );
}

versioned! { embed,
    struct Product {
        id: i32,
        #[diesel(embed)]
        size: Size,
        #[version]
        version: i32,
        #[diesel(embed, skip_update)]
        address: Address,
    }
}

versioned! { serialize_as,
    struct Product {
        #[diesel(serialize_as = i32)]
        id: ProductId,
        #[diesel(serialize_as = String, deserialize_as = String)]
        name: Name,
        #[version]
        version: i32,
    }
}

versioned! { skip_and_select_expression,
    struct Product {
        #[diesel(skip_insertion)]
        id: i32,
        #[diesel(skip_insertion, skip_update)]
        created_at: String,
        #[diesel(select_expression = products::stock.gt(0))]
        in_stock: bool,
        #[version]
        version: i32,
    }
}

versioned! { generics,
    struct Product<K: Debug, T> where T: Display {
        id: K,
        #[diesel(embed)]
        part: Part<T>,
        value: Option<T>,
        #[version]
        version: i32,
    }
}

versioned! { groups,
    struct Document {
        id: i32,
        #[versioned(group = "content")]
        title: String,
        #[diesel(embed)]
        #[versioned(group = "access")]
        access: Access,
        #[version(group = "content")]
        content_version: i32,
        #[version(group = "access", precision = "millis", initial = start())]
        access_version: NaiveDateTime,
    }
}

versioned! { check_changed,
    #[versioned(check = "changed")]
    struct Contact {
        id: i32,
        name: String,
        #[diesel(embed)]
        address: Address,
        #[versioned(unchecked)]
        note: String,
        #[versioned(unguarded)]
        seen: i64,
    }
}

versioned! { check_hash,
    #[versioned(check = "hash")]
    struct Contact<T> {
        id: i32,
        name: T,
        #[diesel(embed)]
        address: Address,
        #[versioned(unchecked)]
        note: String,
    }
}

versioned! { error,
    struct Product {
        id: i32,
        version: i32,
    }
}

#[test]
fn part() {
    let part = quote! {
        #[diesel(table_name = products)]
        struct Size {
            width: i32,
            #[diesel(skip_update)]
            height: i32,
            #[versioned(unguarded)]
            measured_at: i64,
            #[versioned(generated)]
            area: i32,
            #[versioned(unchecked)]
            note: String,
        }
    };
    insta::assert_snapshot!(pretty(derive::versioned_part(&parse_quote!(#part))));
}

#[test]
fn newtype() {
    let tokens = quote! {
        struct Revision<V> {
            number: V,
        }
    };
    insta::assert_snapshot!(pretty(newtype::version_value(&parse_quote!(#tokens))));
}
