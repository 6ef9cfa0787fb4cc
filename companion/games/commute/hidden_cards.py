"""What cards that were dealt face down ("?") can be: a seat's information about its own hand.

Law: pure. After a reshuffle, a "?" that was dealt before can't be one of the reshuffled cards, since those lay open,
and a "?" dealt since must be one of them. Only what everybody saw and what a seat knows of its own cards is used, so
what a seat may play tells it nothing about other hands.
"""

from __future__ import annotations

from companion.games.commute.playing_cards import UNSEEN
from companion.games.commute.position import ALL_CARDS, P, Position
from companion.games.rules import Seat


def possible_faces(position: Position, seat: Seat) -> frozenset[str]:
    """What a seat's "?" cards can be. If nothing is possible, a record was wrong: then all that does not lie open."""
    hand = position.hands[seat]
    visible = {*position.discard, *hand}
    candidates = _candidates(position, seat)
    faces = ALL_CARDS if len(candidates) < hand.count(UNSEEN) else frozenset[str]().union(*candidates)
    return faces - visible or ALL_CARDS - visible


def after_reshuffle(position: P) -> P:
    """The position once the discards form the deck; the "?" cards in hand can't be any of them."""
    discard = frozenset(position.discard)
    if all(UNSEEN not in hand for hand in position.hands):
        return position.replace(last_shuffle=discard, face_candidates=((),) * len(position.hands))
    candidates = []
    for seat, hand in enumerate(position.hands):
        known = _candidates(position, Seat(seat))
        all_faces = (*known, *(ALL_CARDS,) * (hand.count(UNSEEN) - len(known)))
        candidates.append(tuple(faces - discard for faces in all_faces))
    return position.replace(last_shuffle=discard, face_candidates=tuple(candidates))


def after_face_down_deal(position: P, seat: Seat) -> P:
    """The position once a seat has been dealt a "?": it is one of the cards last shuffled."""
    return _with_candidates(position, seat, (*_candidates(position, seat), position.last_shuffle))


def after_reveal(position: P, seat: Seat, card: str) -> P:
    """The position once a seat's "?" turns out to be this card: the "?" with the fewest faces that include it."""
    candidates = _candidates(position, seat)
    revealed = min((faces for faces in candidates if card in faces), key=len, default=None)
    if revealed is None:
        return position
    index = candidates.index(revealed)
    return _with_candidates(position, seat, (*candidates[:index], *candidates[index + 1 :]))


def after_face_down_gift(position: P, seat: Seat) -> P:
    """The position once a seat gives away one of its "?" cards. Nobody knows which one, so candidates are kept only if
    they are the same for all. The receiver doesn't know when it was dealt, so for them it can be any card."""
    candidates = _candidates(position, seat)
    same_for_all = len(set(candidates)) == 1 and len(candidates) == position.hands[seat].count(UNSEEN)
    return _with_candidates(position, seat, candidates[1:] if same_for_all else ())


def _candidates(position: Position, seat: Seat) -> tuple[frozenset[str], ...]:
    return position.face_candidates[seat] if position.face_candidates else ()


def _with_candidates(position: P, seat: Seat, candidates: tuple[frozenset[str], ...]) -> P:
    by_seat = position.face_candidates
    if not by_seat:
        return position
    return position.replace(face_candidates=(*by_seat[:seat], candidates, *by_seat[seat + 1 :]))
