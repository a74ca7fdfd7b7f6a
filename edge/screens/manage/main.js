// Manage: signs in whoever runs the branch and shows them their sections. Never shows a section that their rights do not open.

import { learn, t } from "../kit/words.js";
import { mount } from "../kit/view.js";
import { signedIn } from "../kit/signin.js";
import { shell } from "./shell.js";
import { last } from "./store.js";

await learn("manage");
document.title = t("title");
mount(document.getElementById("screen"), () => signedIn({ draw: shell, roles: ["owner", "manager", "storekeeper", "accountant"], last }));
