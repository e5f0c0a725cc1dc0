/** German words of instructions by their meaning, which several intents share. */
export const GERMAN = `
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
