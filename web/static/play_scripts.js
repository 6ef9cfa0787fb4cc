// What a seat's page needs besides scripts.js.
import "./photo.js";
import "./first_game_tips.js";
import "./share.js";
