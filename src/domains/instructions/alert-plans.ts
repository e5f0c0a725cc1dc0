import { fitText } from "./charts.ts";
import { bestCondition } from "./conditions.ts";
import { type AlertInfo, requireAsset } from "./inventory.ts";
import { AskBack, type PlannedStep } from "./plan.ts";
import type { Clause } from "./references.ts";
import {
  calledIn,
  comparisonIn,
  FREQUENCIES,
  isFiller,
  MAIL,
  numberOf,
  recipientsIn,
  wordsIn,
} from "./words.ts";

const WHEN = /\b(?:when(?:ever)?|if|once|as soon as|wenn|sobald|falls)\b/i;
const TELL =
  /\b(?:alerts?|notify|warn|ping|remind|let (?:me|us|\S+) know|tell (?:me|us)|inform|benachrichtig\w*|warn\w*|informier\w*|melde\w*|bescheid)\b/i;

/** Something is to be told when something is so; or "Alert:" and what. */
export function isAlert(text: string): boolean {
  return (TELL.test(text) && WHEN.test(text)) || /^\s*alert\s*:/i.test(text);
}

/** Of "revenue > 100k, mail to ann@example.com, check every hour" the part that says when. */
function conditionIn(text: string): string {
  const from = WHEN.exec(text);
  const told = from === null ? text.replace(/^\s*alert\s*:/i, "") : text.slice(from.index + from[0].length);
  const parts = told.split(/,\s+/);
  const at = parts.findIndex((part) => comparisonIn(part) !== undefined);
  return (at === -1 ? told : parts.slice(0, at + 1).join(", ")).trim();
}

export async function planAlert(clause: Clause): Promise<PlannedStep[]> {
  const { text, inventory, assumptions, me } = clause;
  const recipients = recipientsIn(text, me);
  if (recipients === "") assumptions.push("Nobody is told by mail: no recipients were named.");
  const told = recipients === "" ? "" : ` ${recipients}`;
  const bare = text.replace(MAIL, " ");
  const condition = conditionIn(bare);
  const around = bare.replace(condition, " ");
  const frequency = FREQUENCIES.find(([pattern]) => pattern.test(around))?.[1];
  const name = calledIn(around);
  const shared = {
    ...(recipients !== "" && { recipients }),
    ...(frequency !== undefined && { frequency }),
    ...(LIVE.test(around) && { realtime: true }),
  };
  const isStale =
    /\b(?:not (?:been )?(?:updated|refreshed)|no new data|stale|out of date|(?:it |they )?stops?|no longer (?:comes?|arrives?)|nicht (?:mehr )?aktualisiert|keine neuen daten|veraltet)\b/i;
  if (isStale.test(condition)) {
    const nouns = (said: string) =>
      said
        .replace(isStale, " ")
        .replace(TELL, " ")
        .replace(WHEN, " ")
        .replace(
          /\b(?:it|still|coming|comes?|in|has|have|was|were|is|been|wurden?|data|daten|me|mich|uns)\b/gi,
          " ",
        );
    // "Is the feed still coming in? Warn me when it stops": what stops was said before.
    const about = wordsIn(nouns(condition)).some((word) => !isFiller(word)) ? condition : bare;
    const { dataset } = fitText(nouns(about), await inventory.datasets());
    return [
      {
        tool: "create_alert",
        args: {
          dataset_id: dataset.id,
          name: name ?? `${dataset.name} was not updated`,
          type: "data_not_updated",
          ...shared,
        },
        says: `Tell${told} when ${dataset.name} was not updated`,
      },
    ];
  }
  const { dataset, c9ql, says } = await bestCondition(condition, inventory, assumptions);
  return [
    {
      tool: "create_alert",
      args: { dataset_id: dataset.id, name: name ?? condition.slice(0, 100), condition: c9ql, ...shared },
      says: `Tell${told} when ${says}`,
    },
  ];
}

const LIVE = /\breal[- ]?time\b|\blive\b|\bechtzeit\b/i;
const VERB =
  /\b(?:pause|mute|stop|resume|unmute|reactivate|activate|test|try|check|change|set|pausier\w*|stopp\w*|aktivier\w*|teste?|prüf\w*|setz\w*)\b|(?<!\p{L})änder\w*/iu;

export function isAlertChange(text: string): boolean {
  return /\balerts?\b|alarm\w*/i.test(text) && VERB.test(text);
}

export async function planAlertChange({ text, inventory }: Clause): Promise<PlannedStep[]> {
  const verb = VERB.exec(text)?.[0] ?? "";
  const frequency = FREQUENCIES.find(([pattern]) => pattern.test(text))?.[1];
  const noise =
    /\b(?:alerts?|alarms?|every|hour|hourly|instead|of|live|real|time|threshold|limit|schwelle|condition|bedingung|to|auf|the|des|den|\d+)\b/gi;
  const words = text
    .replace(verb, " ")
    .replace(/-?alarms?\b/gi, " ")
    .replace(noise, " ");
  const alert = requireAsset(words, await inventory.alerts(), "alert");
  const change = (args: object, says: string): PlannedStep[] => [
    {
      tool: "update_alert",
      args: { alert_id: alert.id, ...args },
      says: `${says} the alert “${alert.name}”`,
    },
  ];
  if (/^te?st|^try/i.test(verb))
    return [{ tool: "test_alert", args: { alert_id: alert.id }, says: `Test the alert “${alert.name}”` }];
  if (/^(?:pause|mute|stop|pausier)/i.test(verb)) return change({ paused: true }, "Pause");
  if (/^(?:resume|unmute|re?activate|aktivier)/i.test(verb)) return change({ paused: false }, "Resume");
  if (frequency !== undefined || LIVE.test(text)) {
    const isLive = LIVE.test(text.replace(/\b(?:instead of|rather than|statt)\b.*/i, " "));
    return change(
      { ...(frequency !== undefined && { frequency }), ...(LIVE.test(text) && { realtime: isLive }) },
      "Change when to check",
    );
  }
  return change({ condition: thresholdOf(alert, text) }, "Change the threshold of");
}

/** The condition with another number at its end, where there is one; otherwise it is asked for. */
function thresholdOf({ name, about, c9ql }: AlertInfo, text: string): string {
  const number = /(-?\d[\d.,]*)\s*(k\b|m\b|thousand\b|million\b|mio\.?|tsd\.?|tausend\b|millionen\b)?/i.exec(
    text,
  );
  const end = /([<>]=?)\s*-?[\d.]+\s*$/.exec(c9ql ?? "");
  if (number === null || end === null || c9ql === null)
    throw new AskBack(`Which condition should the alert “${name}” have? Now it fires when ${about}.`);
  return `${c9ql.slice(0, end.index)}${end[1]} ${numberOf(number[1] as string, number[2])}`;
}
