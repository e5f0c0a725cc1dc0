import { isEqual, nodesIn, rebuilt } from "../../query/parts.ts";
import type { Ask, Key, Window } from "../../query/semantic-query.ts";
import { foldGerman } from "../languages/german/stem.ts";
import type { Leaf } from "../senses/fragment.ts";

/** What dates are called by, and how it is said that it happened then. */
const DEEDS = `
delivery deliver liefer lieferung auslieferung zustellung: delivered geliefert ausgeliefert zugestellt
payment pay paid zahlung bezahlung zahl zahlungseingang: paid bezahlt gezahlt beglichen
shipment shipping ship versand: shipped dispatched versandt versendet verschickt
order bestell bestellung auftrag: ordered bestellt beauftragt
booking book buchung: booked gebucht
invoice billing rechnung: invoiced billed fakturiert berechnet
creation create anlage erstellung erstell: created erstellt angelegt
closing close closure abschluss schliessung: closed geschlossen abgeschlossen zugemacht
completion complete finish fertigstellung erledigung: completed finished fertiggestellt erledigt abgeschlossen beendet
resolution resolve solution solve lösung: resolved solved gelöst
opening open eröffnung: opened eröffnet geöffnet aufgemacht
arrival arrive ankunft eintreffen: arrived angekommen eingetroffen
receipt receive reception eingang erhalt: received eingegangen erhalten
departure depart abreise abfahrt abflug: departed abgereist abgefahren abgeflogen
start beginning begin beginn: started began begun gestartet begonnen
end ende: ended geendet beendet
return rückgabe rücksendung retoure: returned zurückgegeben zurückgeschickt
cancellation cancel storno stornierung kündigung: cancelled canceled storniert gekündigt
purchase buy kauf: purchased bought gekauft
sale sell verkauf: sold verkauft
hire hiring einstellung eintritt: hired joined eingestellt eingetreten
exit termination leaving leave separation resignation austritt: left leave leaves leaving quit resigned departed terminated ausgetreten gegangen gekündigt verlassen verließen
registration signup registrierung anmeldung: registered joined registriert angemeldet dazugekommen hinzugekommen
publication publish release veröffentlichung: published released veröffentlicht
approval approve genehmigung freigabe: approved genehmigt freigegeben
submission submit abgabe einreichung: submitted abgegeben eingereicht
admission admit aufnahme: admitted aufgenommen
discharge entlassung: discharged entlassen
expiry expiration expire ablauf: expired abgelaufen
change update änderung aktualisierung: changed updated geändert aktualisiert
reply answer response antwort: answered replied beantwortet
reminder mahnung: reminded gemahnt
inspection prüfung: inspected checked geprüft
repair reparatur: repaired repariert
construction build built building erection errichtung bau erbauung: built erected constructed errichtet gebaut erbaut
launch markteinführung: launched eingeführt
`;

const GROUPS = DEEDS.trim()
  .split("\n")
  .map((line) => line.split(": ").map((part) => part.split(" ").map(foldGerman))) as [string[], string[]][];

/** Words for what happened on a date, by its name: it was `delivered`, or `geliefert`, on its `delivery_date`. */
export function deedsOf(field: string): { verbs: readonly string[]; nouns: readonly string[] } {
  // A `date_of_termination` is the date of that.
  const [first = "", second = ""] = foldGerman(field)
    .split("_")
    .filter(
      (word, i, { length }) => i === length - 1 || !/^(date|day|time|datum|tag|of|der|des)$/.test(word),
    );
  const root = first.replace(
    /(?<=.{3})(?:s?datum|stermin|termin|szeitpunkt|zeitpunkt|stag|szeit|s?jahr)$/,
    "",
  );
  // "First reply": what happened first happened.
  const named = new Set([root, ...(/^(first|erste?[rs]?)$/.test(first) ? [second] : [])]);
  const found = GROUPS.filter((group) =>
    group.flat().some((word) => named.has(word) || named.has(`${word}s`)),
  );
  return { verbs: found.flatMap(([, verbs]) => verbs), nouns: found.flatMap(([nouns]) => nouns) };
}

/** Words for it that something came to an end, which it does once, or never. */
const ENDS =
  /^(exit|termination|leaving|leave|separation|resignation|austritt|end|ende|closing|close|closed|closure|cancellation|storno)$/;

/** Whether a date says when something came to an end. */
export function isEnd(field: string): boolean {
  return deedsOf(field).nouns.some((noun) => ENDS.test(noun));
}

/** What was done in a period was done on the date of the deed: "who closed the most tickets in May". */
export function onDeed(ask: Ask, leaves: readonly Leaf[]): Ask {
  const missing = nodesIn(ask).flatMap((node) => (node.k === "null" ? [node.key] : []));
  const [key, ...others] = leaves.flatMap(({ sense }) =>
    sense.t === "field" && sense.isDone && missing.some((own) => isEqual(own, sense.key)) ? [sense.key] : [],
  );
  if (key === undefined || others.length > 0) return ask;
  // "left each year": the year in which they left.
  const isPlain = (by: Key) => by.ds === key.ds && by.bucket !== undefined && by.isNamed !== true;
  const rebucketed = (by: Key): Key => (isPlain(by) ? { ...by, field: key.field } : by);
  const dated = ask.k === "table" ? { ...ask, by: ask.by.map(rebucketed) } : ask;
  return rebuilt(dated, (node) => {
    const win = node.win as Window | undefined;
    return win === undefined || win.on !== undefined ? node : { ...node, win: { ...win, on: key } };
  });
}
