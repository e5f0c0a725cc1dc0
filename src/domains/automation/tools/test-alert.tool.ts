import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { deliveryOf, deliveryShape } from "../recipients.ts";

/** Shows what an alert would do, to those who would get it. */
export const testAlert = defineTool({
  name: "test_alert",
  toolset: "alerts",
  wire: {
    bi: {
      name: "knowi_test_alert",
      description:
        "Test an alert by triggering it immediately. Sends notifications if the condition matches. Results are not recorded in the alert's history.",
      input: z.strictObject({ alertId: z.int().describe("ID of the alert to test") }),
      adapt: ({ alertId }: { alertId: number }) => ({ alert_id: alertId }),
    },
  },
  title: "Test an alert",
  description:
    "Checks an alert now and, if it matches, sends its notice marked as a test. Neither its state nor its history changes.",
  permission: ["bi:read", "bi:write"],
  effect: "write",
  timeoutMs: LIMITS.alerts.checkMs + LIMITS.alerts.testMs + 10_000,
  input: z.strictObject({ alert_id: z.int() }),
  output: z.object({
    matched: z.boolean(),
    matched_rows: z.int().nullable(),
    deliveries: z.array(deliveryShape),
    message: z.string(),
  }),

  async run({ alert_id }, { alerts, alertChecks, deliveries: sent, caller, signal }) {
    const alert = await alerts.require(caller, alert_id);
    // Whether it matches tells of what is hidden, and so does why it cannot be checked.
    if (!(await alerts.sees(caller, alert)))
      throw new AppError("forbidden", "This alert looks at what you may not see.", {
        hint: "Its owner or an admin can test it.",
      });
    const { checked, deliveries } = await alertChecks.test(alert, signal);
    const matched = checked.found.kind === "match";
    const who =
      deliveries.length === 0
        ? "Nothing was sent."
        : `Sent to ${deliveries.length} ${deliveries.length === 1 ? "recipient" : "recipients"}, marked as a test.`;
    const local = deliveries.some(({ channel }) => channel === "mail") && sent.mailsAreLocal;
    const where = local ? " No mail server is set: mails are files in the folder outbox." : "";
    return {
      matched,
      matched_rows: checked.evaluation?.matched?.total ?? null,
      deliveries: deliveries.map((delivery) => deliveryOf(delivery, caller, alert)),
      message: `${checked.says} ${who}${where}`,
    };
  },
});
