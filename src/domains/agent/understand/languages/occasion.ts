import { fold, stem, wordsOf } from "./words.ts";

/** Words of how one speaks to somebody, in English and in German. */
const PLAIN =
  listed(`the a an my our your this that these it its is are was were be been am i we you he she they me us
  him her them for to from of in on at with about as and or so just now then please who has have had need needs want wants
  would like know see ask asks asked asking tell told show give do does did can could should will some something else other
  another new small short quick quickly first next one here there again also yes ok okay got understood thanks thank cheers
  hi hello hey dear morning afternoon evening good great fyi ps btw sorry no well different topic subject re
  der die das den dem des ein eine einen einem einer mein meine meinen meinem meiner unser unsere unseren unserem unserer
  dies diese diesen diesem dieser es ist sind war waren ich wir du ihr sie mir uns mich für zu zum zur von vom in im am an
  auf mit über bei und oder so nun jetzt dann bitte hat habe haben will möchte möchten brauche brauchen braucht wissen sehen
  gerade noch mal etwas anderes andere neue neues neuen kurz kurze kurzen nächste nächstes nächsten nächster danke hallo
  moin guten tag morgen abend liebe liebes frage fragt verstanden gut ja`);

/** What something is asked for, who asks it, and what they do about it: nothing of the data is told apart by these. */
const OCCASIONS =
  listed(`account agenda analysis analyst announcement article audit bank blog board boss brief briefing
  budget budgeting business campaign ceo cfo coo call chat check checking colleague conference consultant controller
  controlling curiosity curious dashboard deadline deck department desk director discuss discussing discussion email exec
  executive exercise finance forecast founder homework hr intern interview interested investor invitation kickoff later
  leadership management manager meeting memo monday tuesday wednesday thursday friday morning newsletter note
  office offsite pack partner pitch plan planning plans ppt prep preparation prepare preparing presentation presenting press
  project qbr question recap report reporting research retro retrospective review reviewing roadmap sheet shareholder slide
  soon spreadsheet stakeholder standup status steering strategy summary sync talk talking team thinking today tomorrow
  training trying understand update website wondering work working workshop write writing
  ablage abteilung analyse anruf besprechung bericht budgetplanung chef chefin controlling entscheidung folien führung
  geschäftsführer geschäftsführung geschäftsleitung gespräch heute investoren kampagne kollege kollegin kollegen konferenz
  leitung mitteilung montag dienstag mittwoch donnerstag freitag neugier planen plane planung präsentation presse prüfung
  rundbrief schreiben sitzung strategie termin treffen überlegen vorbereiten vorbereitung vorlage vorstand woche`);

function listed(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/).map(fold));
}

/**
 * Whether what stands before a question says only why it is asked, or by whom: each of its words does, or is said again
 * in the question. Anything else is a part of what is asked.
 */
export function saysWhy(before: string, question: string): boolean {
  const again = new Set(wordsOf(question).map((word) => word.stem));
  return wordsOf(before).every(({ norm }) => {
    if (!/[\p{L}\p{N}]/u.test(norm) || PLAIN.has(norm)) return true;
    const one = norm.replace(/s$/, "");
    return OCCASIONS.has(norm) || OCCASIONS.has(one) || again.has(stem(norm));
  });
}

/** "Sarah from finance": somebody by their name, and where they work. */
export function isSomebody(before: string): boolean {
  const named = /^\s*\p{Lu}\p{Ll}+(?: (?:from|in|of) (?<place>.+))?\s*$/u.exec(before);
  return named !== null && saysWhy(named.groups?.["place"] ?? "", "");
}
