// The record of changes and refusals, on the page Access.

/** Kinds of things that people create, change and delete. */
export type KeptName =
  | 'saved-report'
  | 'share'
  | 'board'
  | 'annotation'
  | 'funnel'
  | 'alert'
  | 'webhook'
  | 'segment'
  | 'described-name'
  | 'digest';

/** A line: a change of keys, tokens, sessions or definitions, a deletion, or failures to sign in. */
export interface RecordLine {
  readonly at: string;
  readonly what:
    | 'key.created'
    | 'key.changed'
    | 'key.revoked'
    | 'user.deleted'
    | 'name.deleted'
    | `${KeptName}.${'created' | 'changed' | 'deleted'}`
    | 'webhook.secret-rotated'
    | 'webhook.replayed'
    | 'names.hidden'
    | 'properties.hidden'
    | 'titles.changed'
    | 'internal-users.changed'
    | 'dashboard.signed-in'
    | 'dashboard.sessions-ended'
    | 'admin.refused'
    | 'key.refused'
    | 'sign-in.refused'
    /** Lines that found no room while NATS took none. */
    | 'record.lost';
  /** Name of the person or of the key; `admin`; `start` for a start of the service. Null for a failure. */
  readonly by: string | null;
  /** Id of the key, the deletion or the definition. */
  readonly subject: string | null;
  /** Present name of the key, the person or the definition; null without a name, and after a deletion. */
  readonly name: string | null;
  /** Address of the client. Null: the service itself, or a client with a wrong key, whose address is not stored. */
  readonly address: string | null;
  /** Number of failures, repeated changes or lost lines that this line stands for. */
  readonly count: number;
}

export interface RecordAnswer {
  /** Lines of all edges, the newest first. */
  readonly record: readonly RecordLine[];
  /** `before` of the next page; null: this is the last one. */
  readonly before: number | null;
}
