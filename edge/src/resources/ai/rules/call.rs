//! A call of one of the API's own GET routes, and what came of it. Never names a route that writes.

use serde_json::{Map, Value};

/// What is asked of the API.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The route as the API's document has it, as `/day-close/{date}`.
    pub endpoint: String,
    /// Its path and query parameters.
    pub params: Map<String, Value>,
}

impl Call {
    /// A call without parameters.
    pub fn get(endpoint: &str) -> Call {
        Call { endpoint: endpoint.to_owned(), params: Map::new() }
    }

    /// The same call with one more parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Call {
        self.params.insert(name.to_owned(), value.into());
        self
    }

    /// The call for page `page` (from 0) of the list that `first` is the first page of; none when that was all, or when
    /// the call is not about whole pages.
    pub fn next_page(&self, first: &Reply, page: u64) -> Option<Call> {
        let limit = self.params.get("limit").and_then(Value::as_u64).filter(|limit| *limit >= 100)?;
        let total = ["/meta/total", "/data/total"].iter().find_map(|at| first.body.pointer(at)?.as_u64())?;
        let offset = limit.checked_mul(page)?;
        (offset < total).then(|| self.clone().with("offset", offset))
    }
}

/// What the API said.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The body; null where it was no JSON.
    pub body: Value,
}

impl Reply {
    /// Whether the call was answered.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Adds the elements of a further page; false when it is none.
    pub fn append(&mut self, more: &Reply) -> bool {
        let at = if self.data().is_array() { "/data" } else { "/data/items" };
        let list = more.body.pointer(at).and_then(Value::as_array).filter(|list| !list.is_empty()).cloned();
        match (self.body.pointer_mut(at).and_then(Value::as_array_mut), list) {
            (Some(all), Some(list)) => {
                all.extend(list);
                true
            }
            _ => false,
        }
    }

    /// The envelope's content, or the bare body of a typed operation.
    pub fn data(&self) -> &Value {
        let enveloped = self.body.get("success").is_some();
        self.body.get("data").filter(|_| enveloped).unwrap_or(&self.body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_list_is_read_to_its_last_page() {
        let page = |from: u64, to: u64| {
            let list: Vec<u64> = (from..to).collect();
            Reply { status: 200, body: json!({"success": true, "data": list, "meta": {"total": 230}}) }
        };
        let call = Call::get("/attendance").with("limit", 100);
        let mut all = page(0, 100);
        for (n, (from, to)) in [(100, 200), (200, 230)].into_iter().enumerate() {
            let next = call.next_page(&all, n as u64 + 1).unwrap();
            assert_eq!(next.params["offset"], from);
            assert!(all.append(&page(from, to)));
        }
        assert_eq!(call.next_page(&all, 3), None);
        assert_eq!(all.data().as_array().unwrap().len(), 230);
        assert_eq!(Call::get("/x").with("limit", 20).next_page(&all, 1), None);
        assert!(!all.append(&Reply { status: 500, body: Value::Null }));
        let items = json!({"success": true, "data": {"items": [1], "total": 101}});
        let mut top = Reply { status: 200, body: items.clone() };
        assert!(call.next_page(&top, 1).is_some() && top.append(&Reply { status: 200, body: items }));
        assert_eq!(top.body["data"]["items"], json!([1, 1]));
    }
}
