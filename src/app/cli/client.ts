import type { Terminal } from "./command.ts";
import { withIdentity } from "./with-identity.ts";

interface CreateInput {
  options: { user: string; workspace: string; json: boolean };
}

export async function createClient({ options }: CreateInput, terminal: Terminal): Promise<number> {
  const { user, workspace, json } = options;
  const client = await withIdentity(({ clients }) => clients.create({ email: user, workspace }));
  const { clientId, clientSecret } = client;
  terminal.err(`Made a client for ${user} in ${workspace}; its secret is shown only this once.\n`);
  terminal.out(
    json
      ? `${JSON.stringify({ clientId, clientSecret }, null, 2)}\n`
      : `clientId: ${clientId}\nclientSecret: ${clientSecret}\n`,
  );
  return 0;
}
