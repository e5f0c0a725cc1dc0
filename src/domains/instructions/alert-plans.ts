import { fitText } from "./charts.ts";
import { bestCondition } from "./conditions.ts";
import { requireAsset } from "./inventory.ts";
import type { PlannedStep } from "./plan.ts";
import type { Clause } from "./references.ts";
import { FREQUENCIES, MAIL } from "./words.ts";

export async function planAlert(clause: Clause): Promise<PlannedStep[]> {
  const { text, inventory, assumptions } = clause;
  const recipients = (text.match(MAIL) ?? []).join(", ");
  const bare = text.replace(MAIL, " ");
  const condition =
    /\b(?:when(?:ever)?|if|once|as soon as|wenn|sobald|falls)\b(.*)$/is.exec(bare)?.[1]?.trim() ?? "";
  const frequency = FREQUENCIES.find(([pattern]) =>
    pattern.test(bare.slice(0, bare.length - condition.length)),
  )?.[1];
  const shared = { ...(recipients !== "" && { recipients }), ...(frequency !== undefined && { frequency }) };
  const isStale =
    /\b(?:not (?:been )?(?:updated|refreshed)|no new data|stale|out of date|nicht (?:mehr )?aktualisiert|keine neuen daten|veraltet)\b/i;
  if (isStale.test(condition)) {
    const { dataset } = fitText(
      condition.replace(isStale, " ").replace(/\b(?:has|have|was|were|been|wurden?|data|daten)\b/gi, " "),
      await inventory.datasets(),
    );
    return [
      {
        tool: "create_alert",
        args: {
          dataset_id: dataset.id,
          name: `${dataset.name} was not updated`,
          type: "data_not_updated",
          ...shared,
        },
        says: `Tell when ${dataset.name} was not updated`,
      },
    ];
  }
  const { dataset, c9ql, says } = await bestCondition(condition, inventory, assumptions);
  return [
    {
      tool: "create_alert",
      args: { dataset_id: dataset.id, name: condition.slice(0, 100), condition: c9ql, ...shared },
      says: `Tell when ${says}`,
    },
  ];
}

export async function planAlertChange({ text, inventory }: Clause): Promise<PlannedStep[]> {
  const verb =
    /\b(?:pause|mute|resume|unmute|reactivate|activate|test|try|pausier\w*|aktivier\w*|teste?)\b/i.exec(
      text,
    )?.[0] ?? "";
  const alert = requireAsset(
    text.replace(verb, " ").replace(/\balerts?\b/gi, " "),
    await inventory.alerts(),
    "alert",
  );
  if (/^te?st|^try/i.test(verb))
    return [{ tool: "test_alert", args: { alert_id: alert.id }, says: `Test the alert “${alert.name}”` }];
  const paused = /^(?:pause|mute|pausier)/i.test(verb);
  return [
    {
      tool: "update_alert",
      args: { alert_id: alert.id, paused },
      says: `${paused ? "Pause" : "Resume"} the alert “${alert.name}”`,
    },
  ];
}
