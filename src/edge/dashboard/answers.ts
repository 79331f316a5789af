// Answers of the dashboard's own routes and frames of its stream, as types: the edge writes them, the pages read them.
// Answers of the API are in ../answers/. Nothing here exists at run time, so the pages can import all of it.
import type {DashboardRole} from '../../keys/dashboard-role.js';
import type {AlarmKind} from '../../measures.js';

// -- Sign-in ------------------------------------------------------------------------------------------------------------

/** Answer of `GET session` with a valid session. */
export interface SessionAnswer {
  readonly role: DashboardRole;
  readonly name: string;
  /** Id of the access token; `admin` for the admin token and a sign-in link. */
  readonly by: string;
  readonly until: string;
  /** Everything between the browser and the service is encrypted, as far as the service can tell. */
  readonly is_secure: boolean;
  readonly api: ApiPlace;
}

/**
 * Address of the API for clients: that of the pages; another port of their host (ADMIN_PORT); or one that only a proxy knows.
 */
export type ApiPlace =
  | {readonly at: 'here'}
  | {readonly at: 'port'; readonly port: number}
  | {readonly at: 'elsewhere'};

/** A person who may sign in. */
export interface PersonAnswer {
  readonly id: string;
  readonly name: string;
  readonly role: DashboardRole;
  /** The last four characters of the access token. */
  readonly last4: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly ends_at: string | null;
  readonly revoked_at: string | null;
}

/** A line of the record: a change of keys, tokens or sessions or of what people define, a deletion, or failures to get in. */
export interface RecordLine {
  readonly at: string;
  readonly what:
    | 'key.created'
    | 'key.changed'
    | 'key.revoked'
    | 'user.deleted'
    | 'saved-report.created'
    | 'saved-report.changed'
    | 'saved-report.deleted'
    | 'share.created'
    | 'share.revoked'
    | 'board.created'
    | 'board.changed'
    | 'board.deleted'
    | 'annotation.created'
    | 'annotation.deleted'
    | 'alert.created'
    | 'alert.changed'
    | 'alert.deleted'
    | 'funnel.created'
    | 'funnel.deleted'
    | 'webhook.created'
    | 'webhook.changed'
    | 'webhook.secret-rotated'
    | 'webhook.replayed'
    | 'webhook.deleted'
    | 'names.hidden'
    | 'properties.hidden'
    | 'dashboard.signed-in'
    | 'dashboard.sessions-ended'
    | 'admin.refused'
    | 'key.refused'
    | 'sign-in.refused'
    /** Lines that found no room while NATS took none. */
    | 'record.lost';
  /** Name of the person or of the key; `admin`; `start` for a start of the service. Null for a failure. */
  readonly by: string | null;
  /** Id of the key, of the deletion or of what was defined. */
  readonly subject: string | null;
  /** Name that the key, the person or what was defined has now; null for what has none, and for what is deleted. */
  readonly name: string | null;
  /** Of the client. Null: the service itself, or a client with a wrong key, whose address is not stored. */
  readonly address: string | null;
  /** Failures, repeated changes, or lost lines, in this line. */
  readonly count: number;
}

export interface RecordAnswer {
  /** Newest first, of all edges. */
  readonly record: readonly RecordLine[];
  /** `before` of the next page; null: this is the last one. */
  readonly before: number | null;
}

// -- Saved reports --------------------------------------------------------------------------------------------------------

/** A question of a report's page, saved under a name. */
export interface SavedReportAnswer {
  readonly id: string;
  readonly name: string;
  /** Path of the page below `/dashboard`, such as `/trends`. */
  readonly page: string;
  /** Query of its address: `?event=signup&range=30d`, or empty. */
  readonly search: string;
  /** Number of changes of name or question, from 1 on. A change names the version that it is of. */
  readonly version: number;
  /** Reports are listed by it, ascending. */
  readonly place: number;
  readonly created_at: string;
  readonly changed_at: string;
  /** Name of the person who changed it last. */
  readonly changed_by: string;
}

export interface SavedReportsAnswer {
  readonly reports: readonly SavedReportAnswer[];
}

/** Answer with a 412: the report after another person's change. */
export interface ChangedMeanwhileAnswer {
  readonly report: SavedReportAnswer;
}

// -- Boards and annotations ------------------------------------------------------------------------------------------------

/** Reports that everybody sees side by side. */
export interface BoardAnswer {
  readonly id: string;
  readonly name: string;
  /** Boards are listed by it, ascending. */
  readonly place: number;
  /** Addresses below `/dashboard`, in the order of the board. */
  readonly pins: readonly string[];
  /** Number of changes. A change is of the version that it names as If-Match. */
  readonly version: number;
  /** Null: nobody has changed it yet. */
  readonly changed_at: string | null;
  /** Name of the person who changed it last. */
  readonly changed_by: string | null;
}

export interface BoardsAnswer {
  /** In their order: Overview shows the first one. There is always one. */
  readonly boards: readonly BoardAnswer[];
}

/** Body of a 412: the board as another person changed it. */
export interface BoardChangedMeanwhileAnswer {
  readonly board: BoardAnswer;
}

/** Words about a day or a moment. */
export interface AnnotationAnswer {
  readonly id: string;
  /** A date, or a moment in UTC. */
  readonly at: string;
  readonly text: string;
  readonly created_at: string;
  /** Name of the person who made it. */
  readonly created_by: string;
}

export interface AnnotationsAnswer {
  /** Newest first, by what they are about. */
  readonly annotations: readonly AnnotationAnswer[];
}

// -- Links that share a report ----------------------------------------------------------------------------------------------

/** A link that shows one report to whoever has it. */
export interface ShareAnswer {
  readonly id: string;
  /** Name of the report. */
  readonly name: string;
  /** Id of the saved report whose changes it shows; null: it shows the report as it was. */
  readonly follows: string | null;
  /** False: the report that it follows was deleted. */
  readonly is_shown: boolean;
  /** Origins whose pages may embed it. */
  readonly origins: readonly string[];
  readonly created_at: string;
  /** Name of the person who made it. */
  readonly created_by: string;
  /** Null: it has no end. */
  readonly ends_at: string | null;
  /** Reads of its data, those of the last minute only as far as this edge answered them. */
  readonly reads: number;
  readonly last_read_at: string | null;
}

export interface SharesAnswer {
  /** Newest first. */
  readonly shares: readonly ShareAnswer[];
}

/** `token` is not available again. */
export interface CreatedShareAnswer extends ShareAnswer {
  readonly token: string;
}

/** Nothing was made yet: the report names people, and the same request with `may_name_people` shares it all the same. */
export interface ShareNeedsWordAnswer {
  /** Why, in words. */
  readonly people: readonly string[];
}

/** A shared report, with all that its page asks. */
export interface SharedReportAnswer extends Pick<SavedReportAnswer, 'name' | 'page' | 'search'> {
  /** Time of the answers: relative ranges end with its day. */
  readonly at: string;
  readonly answers: readonly PathAnswer[];
}

/** Answer to a path of the API, such as `v1/reports/users?…`. */
export type PathAnswer =
  | {
      readonly path: string;
      /** Freshness. */
      readonly headers: Readonly<Record<string, string>>;
      readonly value: unknown;
    }
  | {
      readonly path: string;
      readonly error: {readonly code: string; readonly message: string; readonly field?: string};
      readonly status: number;
    };

// -- State of the service -----------------------------------------------------------------------------------------------

export interface StateAnswer {
  readonly status: 'ready' | 'not_ready';
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
  readonly durability: 'power-cut' | 'process-crash';
  readonly version: string;
}

/** Alarms of partitions, and those of our own nats-server and its disk. */
export type LoadAlarmKind = AlarmKind | 'damaged_part' | 'disk_nearly_full' | 'store_fault';

/** State of the service, as Live load shows it. */
export interface LoadState {
  /** Epoch ms, by the service's clock. */
  readonly at: number;
  /** `degraded`: ready, and an operator should know something. */
  readonly status: 'ready' | 'degraded' | 'catching_up' | 'not_ready';
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
  readonly alarms: readonly {readonly kind: LoadAlarmKind; readonly partitions: readonly number[]}[];
  readonly durability: 'power-cut' | 'process-crash';
  readonly version: string;
  readonly up_seconds: number;
  readonly report: Published;
  /** `is_own`: started by this service. */
  readonly nats: {readonly is_own: boolean; readonly version: string | null; readonly restarts: number | null};
  readonly disk: {readonly free_bytes: number; readonly reserve_bytes: number} | null;
  /** False: other processes fold, and other edges may take events. */
  readonly is_whole: boolean;
  readonly partitions: readonly PartitionLoad[];
  readonly memory: readonly MemoryUse[];
  readonly threads: readonly {readonly thread: string; readonly late_p99_ms: number; readonly late_max_ms: number}[];
}

/** Freshness of reports; nulls before every partition has published, and while reports do not answer. */
export interface Published {
  readonly as_of: string | null;
  readonly next_by: string | null;
  readonly refresh_seconds: number;
}

export interface PartitionLoad {
  readonly partition: number;
  /** Nulls: it does not answer. */
  readonly behind_ms: number | null;
  readonly behind_messages: number | null;
  /** Events and identify calls, duplicates too, since its thread started. */
  readonly folded: number | null;
  readonly users: number | null;
  readonly snapshot_sequence: number | null;
  readonly snapshot_age_ms: number | null;
  readonly dedupe_window_ms: number | null;
  readonly deletions_pending: number | null;
}

export interface MemoryUse {
  readonly use: 'live_reads' | 'reports' | 'funnels' | 'message_ids' | 'log' | 'fold' | 'heaps' | 'nats';
  readonly bytes: number;
  readonly bytes_max: number | null;
}

/** Rows of the ring as columns, one row per second. */
export interface LoadRows {
  /** Epoch ms, ascending. */
  readonly at: readonly number[];
  /** Columns of `refused.` that hold only zeros are left out. */
  readonly columns: Readonly<Record<string, readonly (number | null)[]>>;
}

export interface LoadAnswer extends LoadRows {
  readonly state: LoadState;
  /** Streams that are open. */
  readonly streams: number;
}

// -- Frames of the stream -----------------------------------------------------------------------------------------------

/** The newest row of the ring, in the order of the schema that the stream begins with. */
export interface Vitals {
  readonly at: number;
  readonly row: readonly (number | null)[];
  readonly state: LoadState;
  readonly streams: number;
}

export interface ArrivedEvent {
  readonly event: string;
  readonly user_id: string | null;
  readonly anonymous_id: string | null;
  readonly message_id: string | null;
  /** Epoch ms: time of the event, and of its receipt. */
  readonly at: number;
  readonly received: number;
  /** Time from the first entry of its log message until the log had it on disk. */
  readonly ack_ms: number;
  /** The first properties in their order; nested values and long texts are cut to short texts. */
  readonly properties: readonly (readonly [key: string, value: null | boolean | number | string])[];
  /** Number of further properties. */
  readonly more: number;
}

/** Events of one second. */
export interface ArrivedSample {
  readonly events: readonly ArrivedEvent[];
  /** Number of all events of the second, in the sample or not. */
  readonly count: number;
}

export interface SeenRefusal {
  readonly code: string;
  /** Route; absent for a path that does not exist. */
  readonly route?: string | undefined;
  readonly field: string | null;
  readonly key_id: string | null;
  readonly count: number;
}

/** Refusals of one second. */
export interface SeenRefusals {
  /** Epoch ms. */
  readonly at: number;
  readonly refusals: readonly SeenRefusal[];
  /** Number of refusals of further kinds. */
  readonly more: number;
}
