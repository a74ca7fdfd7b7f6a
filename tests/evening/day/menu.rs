//! What the restaurant sells that day, besides what every test house does, and in which language its stations read. Never orders.

use super::ledger::{FISH, FISH_CAME, M, MEAL, alone};
use super::{Day, text};
use serde_json::{Value, json};
use tiffin_tests::printer::Printer;

impl Day {
    /// The dal in two sizes, a meal of three stations, and the happy hour.
    pub(super) async fn set_the_menu(&mut self) {
        let (house, owner) = (&self.house, &self.house.owner);
        let sizes = json!({"variants": [{"name": "Half", "priceCents": alone("Dal (Half)", false)},
            {"name": "Full", "priceCents": alone("Dal (Full)", false), "isDefault": true}]});
        let dal = owner.patch(&format!("/menu/items/{}", house.dish("Dal")), sizes).await.expect(200).data();
        let [half, full] = [0, 1].map(|place| text(&dal["variants"][place]["id"]).to_owned());
        let recipe = json!({"ingredients": [
            {"inventoryItemId": house.stock("Lentils"), "quantity": 60, "unit": "g"},
            {"subRecipeId": house.stock("Gravy"), "quantity": 30, "unit": "ml"}]});
        owner.put(&format!("/inventory/recipes/{half}"), recipe).await.expect(200);
        let one = |name: &str, options: Value| json!({"name": name, "minSelections": 1, "maxSelections": 1, "options": options});
        let meal = json!({"categoryId": dal["categoryId"], "name": "Meal", "priceCents": MEAL, "kind": "COMBO", "components": [
            one("Main", json!([{"menuItemId": house.dish("Paneer Tikka")}, {"menuItemId": dal["id"], "variantId": half}])),
            one("Side", json!([{"menuItemId": house.dish("Steamed Rice")}])),
            one("Drink", json!([{"menuItemId": house.dish("Lassi")}]))]});
        let meal = owner.post("/menu/items", meal).await.expect(201).data();
        let happy = json!({"name": "Happy hour", "from": "17:00", "to": "19:00", "entries": [
            {"menuItemId": house.dish("Lassi"), "priceCents": alone("Lassi", true)},
            {"variantId": half, "priceCents": alone("Dal (Half)", true)}]});
        owner.post("/menu/price-lists", happy).await.expect(201);
        let quick = json!({"prepMinutes": 2});
        let tikka = format!("/menu/items/{}", house.dish("Paneer Tikka"));
        owner.patch(&tikka, quick).await.expect(200);
        let outlet = owner.get("/outlets").await.expect(200).data()[0]["id"].clone();
        let terms = json!({"scheduleLeadMinutes": 5, "languages": ["en", "hi", "ta"]});
        owner.patch(&format!("/outlets/{}", text(&outlet)), terms).await.expect(200);
        self.menu =
            [("Dal (Half)", half), ("Dal (Full)", full), ("Meal", text(&meal["id"]).to_owned())].into();
    }

    /// Fish by the kilogram: of each a tenth more is taken than is weighed out.
    pub(super) async fn sell_fish(&mut self) {
        let (house, owner) = (&self.house, &self.house.owner);
        let item = json!({"name": "Fish", "category": "Kitchen", "unit": "kg", "minStockThreshold": 1});
        let item = owner.post("/inventory/items", item).await.expect(201).data();
        let came = json!({"inventoryItemId": item["id"], "quantityDelta": FISH_CAME.0 / M,
            "unitCostCents": FISH_CAME.1, "reason": "opening stock", "batchNumber": "Fish-1"});
        owner.post("/inventory/adjustments", came).await.expect(201);
        let rice = owner.get(&format!("/menu/items/{}", house.dish("Steamed Rice"))).await.expect(200).data();
        let fish = json!({"categoryId": rice["categoryId"], "name": "Fish", "priceCents": FISH, "soldBy": "WEIGHT",
            "stationId": house.station("Hot"), "taxCategoryId": rice["taxCategoryId"]});
        let fish = owner.post("/menu/items", fish).await.expect(201).data();
        let fish = text(&fish["id"]).to_owned();
        let recipe = json!({"ingredients": [{"inventoryItemId": item["id"], "quantity": 1.1, "unit": "kg"}]});
        owner.put(&format!("/inventory/recipes/{fish}"), recipe).await.expect(200);
        self.menu.insert("Fish", fish);
        text(&item["id"]).clone_into(&mut self.fish);
    }

    /// The tandoor reads Hindi, the bar Tamil, and who cooks the rest what is ordered.
    pub(super) async fn set_the_stations(&self, printer: &Printer) {
        let owner = &self.house.owner;
        for (dish, language, said) in [("Paneer Tikka", "hi", "पनीर टिक्का"), ("Lassi", "ta", "லஸ்ஸி")]
        {
            let texts = json!({"texts": {language: {"name": said}}});
            owner.patch(&format!("/menu/items/{}", self.house.dish(dish)), texts).await.expect(200);
        }
        for (name, language) in [("Hot", Value::Null), ("Tandoor", json!("hi")), ("Bar", json!("ta"))] {
            let station =
                json!({"printerAddress": printer.address, "printTickets": true, "language": language});
            let path = format!("/kitchen/stations/{}", self.house.station(name));
            owner.patch(&path, station).await.expect(200);
        }
    }
}
