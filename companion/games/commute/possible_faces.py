"""The possible faces of cards that were dealt face down ("?"): what a seat can deduce about its own hand.

Law: pure. A "?" card that was dealt before a reshuffle can't be one of the reshuffled cards, since those lay face up
among the discards. A "?" card that was dealt after the reshuffle must be one of them. The deductions use only what
everyone saw and what a seat knows about its own cards. So the list of cards that a seat may play tells the seat nothing
about other hands.
"""

from __future__ import annotations

from companion.games.commute.position import P, Position
from companion.games.commute.position_parts import ALL_CARDS
from companion.games.commute.position_updates import with_deck
from companion.games.commute.suits_and_ranks import UNSEEN
from companion.games.rules import Seat


def possible_faces(position: Position, seat: Seat) -> frozenset[str]:
    """The faces that a seat's "?" cards could have, as far as the seat knows. If no face is possible, some card was
    recorded wrongly. The result is then every face that is neither in the seat's hand nor among the discards."""
    hand = position.hands[seat]
    visible = {*position.deck.discard, *hand}
    candidates = _candidates(position, seat)
    faces = ALL_CARDS if len(candidates) < hand.count(UNSEEN) else frozenset[str]().union(*candidates)
    return faces - visible or ALL_CARDS - visible


def after_reshuffle(position: P) -> P:
    """The position after the discards have become the new deck. The "?" cards in hands were dealt earlier, so they
    can't be any of the reshuffled cards."""
    discard = frozenset(position.deck.discard)
    if all(UNSEEN not in hand for hand in position.hands):
        return with_deck(position, last_shuffle=discard).replace(face_candidates=((),) * len(position.hands))
    candidates = []
    for seat, hand in enumerate(position.hands):
        known = _candidates(position, Seat(seat))
        all_faces = (*known, *(ALL_CARDS,) * (hand.count(UNSEEN) - len(known)))
        candidates.append(tuple(faces - discard for faces in all_faces))
    return with_deck(position, last_shuffle=discard).replace(face_candidates=tuple(candidates))


def after_face_down_deal(position: P, seat: Seat) -> P:
    """The position after a seat is dealt a "?" card. This card must be one of those in the last shuffle."""
    return _with_candidates(position, seat, (*_candidates(position, seat), position.deck.last_shuffle))


def after_reveal(position: P, seat: Seat, card: str) -> P:
    """The position after a "?" card of a seat turns out to be `card`. If several "?" cards could have this face, the
    one with the fewest possible faces is assumed to be the revealed card."""
    candidates = _candidates(position, seat)
    revealed = min((faces for faces in candidates if card in faces), key=len, default=None)
    if revealed is None:
        return position
    index = candidates.index(revealed)
    return _with_candidates(position, seat, (*candidates[:index], *candidates[index + 1 :]))


def after_face_down_gift(position: P, seat: Seat) -> P:
    """The position after a seat gives away one of its "?" cards without anybody knowing which one. The possible faces
    of the seat's other "?" cards are kept only if all "?" cards of the seat had the same possible faces. For the
    receiver, the card can have any face, because the receiver can't tell whether it was dealt before or after the
    reshuffle."""
    candidates = _candidates(position, seat)
    same_for_all = len(set(candidates)) == 1 and len(candidates) == position.hands[seat].count(UNSEEN)
    return _with_candidates(position, seat, candidates[1:] if same_for_all else ())


def _candidates(position: Position, seat: Seat) -> tuple[frozenset[str], ...]:
    """The sets of possible faces for a seat's "?" cards. Empty if nothing is known about them."""
    return position.face_candidates[seat] if position.face_candidates else ()


def _with_candidates(position: P, seat: Seat, candidates: tuple[frozenset[str], ...]) -> P:
    """The position with a seat's sets of possible faces replaced. Unchanged before the first reshuffle of a commute."""
    by_seat = position.face_candidates
    if not by_seat:
        return position
    return position.replace(face_candidates=(*by_seat[:seat], candidates, *by_seat[seat + 1 :]))
