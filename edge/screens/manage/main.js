import { h, mount } from "../kit/view.js";
mount(document.getElementById("screen"), () => h("main", {}, "…"));
