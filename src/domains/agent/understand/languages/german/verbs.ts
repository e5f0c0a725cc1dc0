import { foldGerman } from "./stem.ts";

/** What was done, as it is said after "haben" and "wurden"; what is parted in other forms has a dash. */
const DONE = `auf-gemacht zu-gemacht ein-geführt ein-gestellt an-gemeldet ab-gemeldet auf-gegeben ein-gekauft ab-gesetzt um-gesetzt
  zurück-geschickt zurück-gesandt zurück-gegeben aus-geliefert zu-gestellt ab-geholt an-gelegt ein-gereicht ab-gelehnt
  ein-gebracht ein-gelöst ab-geschickt ab-gewickelt her-gestellt aus-gegeben ab-gebrochen
  -gekauft -geliefert -gebucht -gelöst -gemeldet -gezahlt -gemietet -geprüft -gekündigt -geöffnet -gestartet -gemahnt
  bestellt verkauft eröffnet bezahlt storniert registriert retourniert erstattet verschickt versendet erledigt bewertet
  beantwortet bearbeitet repariert reklamiert beauftragt veröffentlicht genehmigt beliefert besucht erstellt verfehlt
  übertroffen erreicht`;

/** Forms that are not made of the others. */
const STRONG = `aufgegeben: gab-auf gaben-auf
zurückgegeben: gab-zurück gaben-zurück
zurückgesandt: sandte-zurück sandten-zurück
ausgegeben: gab-aus gaben-aus gibt-aus geben-aus
geschlossen: schloss schlossen
abgeschlossen: schloss-ab schlossen-ab
übertroffen: übertraf übertrafen übertrifft übertreffen`;

/** The participle by each other form: "eröffneten" is "eröffnet", and "einführten" is "eingeführt". */
export const PARTICIPLES: ReadonlyMap<string, string> = new Map([
  ...DONE.trim().split(/\s+/).flatMap(formsOf),
  ...STRONG.split("\n").flatMap((line) => {
    const [participle = "", forms = ""] = line.split(": ");
    return forms.split(" ").map((form): [string, string] => [foldGerman(whole(form)), participle]);
  }),
]);

/** "gab-auf" is "aufgab" at the end of a clause. */
function whole(form: string): string {
  const [verb = "", particle = ""] = form.split("-");
  return particle + verb;
}

function formsOf(participle: string): [string, string][] {
  const [particle = "", verb = ""] = participle.includes("-") ? participle.split("-") : ["", participle];
  const root = /^(?:ge)?(.+?)e?t$/.exec(verb)?.[1];
  if (root === undefined) return [];
  const link = /[dt]$|[^aeiourl][mn]$/.test(root) ? "e" : "";
  const own = participle.replace("-", "");
  return ["t", "te", "ten"]
    .map((ending): [string, string] => [foldGerman(`${particle}${root}${link}${ending}`), own])
    .concat([[foldGerman(`${particle}${root}en`), own]])
    .filter(([form]) => form !== foldGerman(own));
}

/** Verbs as participles, whatever the tense: what was done is known by these. */
export function asParticiples(text: string): string {
  return text.replaceAll(
    /(?<!\p{L})\p{Ll}{5,}(?!\p{L})/gu,
    (word) => PARTICIPLES.get(foldGerman(word)) ?? word,
  );
}
