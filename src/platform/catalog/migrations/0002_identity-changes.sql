-- The plans that a workspace can have: one without bounds, and the small one of the memory contract.
INSERT INTO "plans" ("name", "limits") VALUES ('self-hosted', '{}'), ('private', '{"memories": 100}');
--> statement-breakpoint
-- Every server keeps the power of the tokens it sees in memory. Whoever changes one of these rows, by
-- whatever path, tells all of them when the change is committed.
CREATE FUNCTION "tell_identity_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify(
    'kenning_identity',
    TG_ARGV[0] || ':' || (CASE WHEN TG_OP = 'DELETE' THEN to_jsonb(OLD) ELSE to_jsonb(NEW) END ->> TG_ARGV[1])
  );
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "tokens_changed"
  AFTER DELETE OR UPDATE OF "kind", "hash", "account_id", "workspace_id", "scopes", "limits", "expires_at", "revoked_at"
  ON "tokens" FOR EACH ROW EXECUTE FUNCTION "tell_identity_changed"('token', 'id');
--> statement-breakpoint
CREATE TRIGGER "accounts_changed"
  AFTER DELETE OR UPDATE OF "email", "name", "disabled_at"
  ON "accounts" FOR EACH ROW EXECUTE FUNCTION "tell_identity_changed"('account', 'id');
--> statement-breakpoint
CREATE TRIGGER "members_changed"
  AFTER INSERT OR UPDATE OR DELETE
  ON "members" FOR EACH ROW EXECUTE FUNCTION "tell_identity_changed"('account', 'account_id');
--> statement-breakpoint
CREATE TRIGGER "group_members_changed"
  AFTER INSERT OR UPDATE OR DELETE
  ON "group_members" FOR EACH ROW EXECUTE FUNCTION "tell_identity_changed"('account', 'account_id');
--> statement-breakpoint
CREATE TRIGGER "workspaces_changed"
  AFTER UPDATE OR DELETE
  ON "workspaces" FOR EACH ROW EXECUTE FUNCTION "tell_identity_changed"('workspace', 'id');
