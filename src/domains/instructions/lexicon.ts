import { words } from "./reader.ts";

/** German words of instructions by their meaning, which several intents share. */
const GERMAN = `
make: erstell~, leg~, anleg~, richte, einricht~
want: brauch~, bräuchte~, hätte~
give: gib, hol~
new: neue[mnrs]?
add: füg~, häng~, pack~, ergänz~, trag~, setz~
draw: zeig~, stell~
me: mir, uns
it: ihn, es
only: nur
also: auch, zusätzlich, füg~, nimm, hinzu
send: schick~(?: raus| ab| los)?, verschick~, versend~, sende~
become: wandle, wandel, umwandeln, verwandle~, verwandel~, tausch~, nimm, mach~
change: änder~, setz~, stell~(?: um)?, soll(?:te|en)?
instead: stattdessen, lieber
future: künftig, ab jetzt
rename: benenn~, umbenenn~, nenn~, heiß~
pause: stopp~, halt~ an, halt(?:e|en)?, aussetz~, setz~(?= .*aus), nicht mehr (?:ver)?(?:schick~|send~), stumm~, pausier~, deaktivier~
resume: lass~(?= .*wieder laufen), starte?(?= .*wieder), nimm(?= .*wieder auf), wieder (?:aktivier~|aufnehm~|einschalt~|starten|verschick~|senden), aktivier~, reaktivier~, fortsetz~, setz~ fort
export: herunterlad~, runterlad~, lad~
limit: begrenz~, beschränk~, einschränk~, schränk~
without: ohne, ausblend~, ausschließ~
report: bericht(?:e[sn]?|s)?
alert: alarm(?:e[sn]?|s)?, warnung(?:en)?, benachrichtigung(?:en)?
told: benachrichtigt, gewarnt, informiert
filter: filter(?:n|e|t)?
data: daten, datens[aä]tze?n?, zeilen
again: nochmals?, noch ?mal, noch einmal, erneut
now: sofort, jetzt(?: gleich)?(?: einmal)?, gleich(?: jetzt)?, umgehend
`;

/** English words of instructions by their meaning, which several intents share. */
const ENGLISH = `
make: create, make, build, generate, set(?: \\p{L}+)? up
want: need, want, would like, i'd like
give: give, get
new: new
add: add, put, include, append, insert, pin
draw: show, plot, draw, display, visuali[sz]e
me: me, us
it: it
only: only, just
also: also, too, as well, cc, additionally
send: (?:re-?)?send(?: out| off)?, deliver, fire off
become: turn, convert, transform, modify, swap, use
change: change, set, adjust, update, make, move, switch, edit
instead: instead, rather
future: from now on, in future
rename: rename, re-?title, name, call, title
pause: put(?= .*on hold), on hold, hold, stop(?: sending(?: out)?)?, cancel, no longer send, don't send, pause~, mute, silence, snooze, suspend, disable, deactivate, switch off, turn off, turn (?=.*\\boff\\b), switch (?=.*\\boff\\b)
resume: start(?= .*again), wake(?= .*up), resume, unpause, unmute, re-?activate, activate, re-?enable, enable, restart, continue
export: export~, download~
limit: limit~, restrict~, narrow
without: exclud~, leave out, hide, without
report: (?:scheduled )?reports?
alert: alerts?, alarms?, warnings?
told: alerted, notified, informed, told, warned
filter: filters?
data: data ?sets?, data, rows
again: again, once more
now: (?:right )?now, immediately, at once, right away, straight away, asap
`;

/** What can be said of a meaning, in both languages; `~` is any ending. */
const LEXICON = new Map<string, string[]>();
for (const line of `${ENGLISH}\n${GERMAN}`.split("\n").filter((each) => each.includes(":"))) {
  const [meaning = "", said = ""] = line.split(/:(.*)/s);
  const all = said.split(",").map((each) => each.trim());
  LEXICON.set(meaning.trim(), [...(LEXICON.get(meaning.trim()) ?? []), ...all]);
}

/** A pattern of all that means one of these, with words that only one intent has. The longest are tried first. */
export function anyOf(meanings: string, own = ""): RegExp {
  const all = meanings.split(" ").flatMap((meaning) => {
    const forms = LEXICON.get(meaning);
    if (forms === undefined) throw new TypeError(`no word means “${meaning}”`);
    return forms;
  });
  const longestFirst = [...new Set(all)].toSorted((a, b) => b.length - a.length);
  return words([own, ...longestFirst].filter((each) => each !== "").join("|"));
}
