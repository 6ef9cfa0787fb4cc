// The scripts of all pages, in the order in which they run. Browsers get them in one file.
import "./phone_feedback.js";
import "./dom.js";
import "./sheets.js";
import "./shuffle.js";
import "./actions.js";
import "./page_updates.js";
