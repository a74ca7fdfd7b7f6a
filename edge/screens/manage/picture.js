// A dish's own picture: chosen from a telephone or a disk, shown, taken away. Never sends what a camera took as it is: a smaller one is made of it
// here, which is there sooner and says nothing of where it was taken.

import { ask } from "../kit/session.js";
import { h, signal } from "../kit/view.js";
import { said } from "../kit/pin.js";
import { show } from "../kit/dialog.js";
import { t } from "../kit/words.js";
import { act } from "./parts.js";
import { send } from "./store.js";

/** The longer side of what is sent, in pixels: somewhat more than the box keeps. */
const SIDE = 1_600;

/** Whether a dish's picture is the box's own. @param {any} dish */
export const hasOwn = (dish) => (dish.imageUrl ?? "").startsWith("/api/");

/** What is sent instead of a file: upright, smaller, JPEG; the file itself where this browser cannot read it. @param {File} file @returns {Promise<Blob>} */
async function lighter(file) {
  try {
    const read = await createImageBitmap(file);
    const scale = Math.min(1, SIDE / Math.max(read.width, read.height));
    const canvas = /** @type {HTMLCanvasElement} */ (h("canvas", { width: Math.round(read.width * scale), height: Math.round(read.height * scale) }));
    const brush = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    brush.fillStyle = "#fff";
    brush.fillRect(0, 0, canvas.width, canvas.height);
    brush.drawImage(read, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob((made) => resolve(made ?? file), "image/jpeg", .9));
  } catch { return file; }
}

/** A dialog with a dish's picture. Answers whether something changed. @param {any} dish @returns {Promise<boolean>} */
export async function picture(dish) {
  let changed = false;
  await show(t("picture.of", { name: dish.name }), () => {
    const now = signal(dish), wrong = signal(""), busy = signal(false);
    /** @param {any} event */
    async function chosen(event) {
      const [file] = event.target.files;
      if (!file || busy.peek()) return;
      busy.set(true);
      wrong.set("");
      try {
        const body = await lighter(file);
        now.set((await ask("PUT", `/menu/items/${dish.id}/image`, { body, headers: { "content-type": body.type } })).data);
        changed = true;
      } catch (error) { wrong.set(said(error)); } finally { busy.set(false); event.target.value = ""; }
    }
    return [
      () => (hasOwn(now()) ? h("img", { class: "dishPicture", src: now().imageUrl, alt: dish.name }) : h("p", { class: "hint" }, t("picture.none"))),
      h("p", { class: "wrong", role: "alert" }, wrong),
      h("label", {}, t("picture.choose"), h("input", { type: "file", accept: "image/jpeg,image/png,image/webp", disabled: busy, onchange: chosen }), h("small", {}, t("picture.hint"))),
      () => hasOwn(now()) && h("div", { class: "acts" }, act(t("picture.remove"), async () => { now.set(await send("DELETE", `/menu/items/${dish.id}/image`)); changed = true; }, { bad: true, done: t("saved") })),
    ];
  });
  return changed;
}
