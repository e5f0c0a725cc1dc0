import { afterAll, describe, expect, it } from "vitest";
import { MemoryClient, startMemory } from "../../../../test/support/memory.ts";

const { server, acme, call, stop } = await startMemory();
afterAll(stop);

const RULES = `
@prefix k: <urn:kenning:memory#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
k:SPONSORS owl:inverseOf k:SPONSORED_BY ; rdfs:domain k:organisation .
k:OneOwner a sh:NodeShape ; sh:targetSubjectsOf k:OWNED_BY ;
  sh:property [ sh:path k:OWNED_BY ; sh:maxCount 1 ; sh:message "A thing has one owner." ] .
k:Sponsored a sh:NodeShape ; sh:targetObjectsOf k:SPONSORS ; sh:class k:project ;
  sh:message "Only projects are sponsored." .
`;

describe("set_relation_rules", () => {
  it("[memory.error.constraint] checks each relation by the workspace's shapes, and says what would be allowed", async () => {
    expect(await call("set_relation_rules", { turtle: RULES })).toEqual({
      shapes: 2,
      own_types: ["SPONSORS"],
      removed: false,
    });
    const acorn = await acme.store("Acorn Ltd.", { tags: ["organisation"] });
    const oak = await acme.store("Oak Ltd.", { tags: ["organisation"] });
    const reef = await acme.store("The reef project.", { tags: ["project"] });
    const boat = await acme.store("A boat.");
    expect(await acme.call("link", { from_id: acorn, to_id: reef, rel_type: "SPONSORS" })).toMatchObject({
      inverse_edge_id: expect.stringMatching(/^edge_sponsored_by_/),
    });
    const wrong = await acme.error("link", { from_id: acorn, to_id: boat, rel_type: "SPONSORS" });
    expect(wrong).toMatchObject({ code: 400, data: { allowed: expect.arrayContaining(["OWNS"]) } });
    expect(wrong?.message).toContain("Only projects are sponsored.");
    expect(await acme.error("link", { from_id: reef, to_id: boat, rel_type: "SPONSORS" })).toMatchObject({
      code: 400,
    });
    await acme.call("link", { from_id: acorn, to_id: boat, rel_type: "OWNS" });
    const second = await acme.error("link", { from_id: oak, to_id: boat, rel_type: "OWNS" });
    expect(second).toMatchObject({ code: 400, message: expect.stringContaining("A thing has one owner.") });
    expect((await acme.call("list_relations", { memory_id: boat })).incoming).toHaveLength(1);
    await acme.call("unlink", { from_id: boat, to_id: acorn, rel_type: "OWNED_BY" });
    await acme.call("link", { from_id: oak, to_id: boat, rel_type: "OWNS" });

    await server.app.identity.workspaces.create({ slug: "other" });
    const other = new MemoryClient(server, await server.token({ kind: "memory", workspace: "other" }));
    const [one, two] = [await other.store("One."), await other.store("Two.")];
    expect(await other.error("link", { from_id: one, to_id: two, rel_type: "SPONSORS" })).toMatchObject({
      code: 400,
    });
    expect(await call("set_relation_rules", { turtle: null })).toMatchObject({ removed: true });
    await acme.call("link", { from_id: acorn, to_id: boat, rel_type: "OWNS" });
  });

  it("[memory.error.provider] refuses what cannot be read or is too much, and keeps what is there", async () => {
    const prefix = RULES.split("\n").slice(1, 5).join("\n");
    const regex = `${prefix}\nk:Slow a sh:NodeShape ; sh:targetClass k:slow ; sh:property [ sh:path k:title ; sh:pattern "^(a+)+$" ] .`;
    const bad: [string, RegExp][] = [
      ["not turtle at all", /not valid SHACL/],
      [`${prefix}\nk:OWNS owl:inverseOf k:HAD_BY .`, /OWNS is a type that is always there/],
      [`${prefix}\nk:owns_it owl:inverseOf k:OWNED .`, /UPPER_SNAKE_CASE/],
      [`${prefix}\n<http://x.example/A> owl:inverseOf k:B .`, /not in the namespace/],
      ["#".repeat(70_000), /65536 bytes/],
      [`${prefix}\nk:AA owl:inverseOf k:BB . k:BB owl:inverseOf k:CC .`, /BB has two inverses, AA and CC/],
      [`${prefix}\n<urn:kenning:memory#%E0%A4%A> owl:inverseOf k:B .`, /not in the namespace/],
      // What the engine cannot check is refused here, and not when somebody links something.
      [
        `${prefix}\nk:A sh:targetClass k:t ; sh:node k:B . k:B sh:node k:A .`,
        /k:A refers to itself, by way of others/,
      ],
      [
        `${prefix}\nk:A sh:targetClass k:t ; sh:property k:P . k:P sh:path k:OWNS ; sh:node k:A .`,
        /not valid/,
      ],
      [`${prefix}\nk:A sh:targetSubjectsOf k:OWNS ; sh:not k:A .`, /refers to itself/],
      [
        `${prefix}\nk:A sh:targetClass k:t ; sh:property [ sh:path k:title ; sh:pattern "(" ] .`,
        /not valid SHACL/,
      ],
      [
        `${prefix}\nk:A sh:targetClass k:t ; sh:sparql [ sh:select "SELECT 1" ] .`,
        /sh:sparql cannot be checked/,
      ],
    ];
    for (const [turtle, reason] of bad)
      expect((await call("set_relation_rules", { turtle })).error).toMatch(reason);
    const contributor = await server.token({ role: "contributor" });
    expect((await call("set_relation_rules", { turtle: RULES }, contributor)).error).toBeDefined();
    expect((await call("list_relation_types", {})).rules).toBeNull();

    await call("set_relation_rules", { turtle: regex });
    const slow = await acme.store("Slow.", { title: `${"a".repeat(40)}!`, tags: ["slow"] });
    const quick = await acme.store("Quick.");
    const link = { from_id: slow, to_id: quick, rel_type: "RELATED_TO" };
    expect(await acme.error("link", link)).toMatchObject({
      code: -32000,
      message: expect.stringContaining("took longer than"),
    });
  });
});
