// The till: begins it. Never draws a word itself.

import { learn } from "../kit/words.js";
import { mount } from "../kit/view.js";
import { signedIn } from "../kit/signin.js";
import { shell } from "./shell.js";
import { last } from "./store.js";

await learn("pos");
mount(document.getElementById("screen"), () => signedIn({ draw: shell, roles: ["waiter", "cashier", "manager"], pairs: "POS", last }));
