/** English words of instructions by their meaning, which several intents share. */
export const ENGLISH = `
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
