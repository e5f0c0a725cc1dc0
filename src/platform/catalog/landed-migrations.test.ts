import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const FOLDER = join(import.meta.dirname, "migrations");

/** A database knows a migration by its hash: one that is changed later would be applied again, or never. */
const LANDED: Readonly<Record<string, string>> = {
  "0000_outbox.sql": "dbf072a9334a8f8c",
  "0001_identity.sql": "f5cc08eb8fa8bcc1",
  "0002_identity-changes.sql": "32aaeb066e7b6ea7",
  "0003_jobs-and-memory.sql": "040a10436fa2303e",
  "0004_sign-in.sql": "a77ab60d503a3c4a",
  "0005_data.sql": "510b0ff67fa304a1",
  "0006_query-runs.sql": "b22199c09ef5bc1e",
  "0007_models.sql": "2f35daef737cdc48",
  "0008_run-results.sql": "cdf98134d8f76212",
  "0009_home-stamp.sql": "12c9bbfa43b05c43",
  "0010_dataset-versions.sql": "2d6f05f22e5b0853",
  "0011_home-generation.sql": "fb646eab71e61662",
  "0012_user-settings.sql": "ce3973bead606a2b",
  "0013_conversations.sql": "efb4ee24c74465b6",
  "0014_knowledge.sql": "d94de5ca8ec1671a",
  "0015_llm-providers.sql": "ac72c6705603e120",
  "0016_memory.sql": "0fe2fd86dc569b63",
  "0017_verified-questions.sql": "4b30ed9ceb282159",
  "0018_knowledge-vectors.sql": "0eb1883b6aced297",
  "0019_bi.sql": "63657260d61f4f3b",
  "0020_verified-versions.sql": "397f2ad9120d7329",
  "0021_memory-lifecycle.sql": "e0b0919ef74384cb",
  "0022_integrity.sql": "8ffe556f4dd7ac05",
  "0023_automation.sql": "8e04f1f415b41c01",
  "0024_demo.sql": "2f3fda51391ac623",
  "0025_reports.sql": "7a9f32d8a12a6222",
  "0026_changes.sql": "dcab420c5c321def",
  "0027_no-job-progress.sql": "c7c281f670a4e9d8",
  "0028_answer-places.sql": "352413476e84e0bb",
  "0029_suggested-questions.sql": "d2e1f5bbe74f2a36",
  "0030_queries-as-written.sql": "d7caa3e75f5a0559",
  "0031_suggested-queries.sql": "474824aa0e36f48a",
  "0032_rights-of-authors.sql": "1eb84c34ce7a07f7",
  "0033_owned-since.sql": "1c347c948330f5a9",
  "0034_invitations.sql": "ab51d270b27e731f",
  "0035_query-refresh.sql": "8f07b85d941669d3",
  "0036_federated-identities.sql": "b8ce3de53fc2cb22",
  "0037_threads.sql": "5abeead83bb530e7",
  "0038_retrieval-changes.sql": "5c3efb7d9bb23ec5",
};

it("a migration that has landed is never changed; a new one is added to the list", () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".sql"));
  const found = files.map((name) => {
    const hash = createHash("sha256")
      .update(readFileSync(join(FOLDER, name)))
      .digest("hex");
    return [name, hash.slice(0, 16)];
  });
  expect(Object.fromEntries(found)).toEqual(LANDED);
});
