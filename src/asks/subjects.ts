// Subjects of questions and announcements, `ask.partition.<p>` and `ask.report` first of all. A reply never exceeds 900 kB: the
// caller pages answers.

export const askPartitionSubject = (partition: number): string => `ask.partition.${partition}`;
export const askReportSubject = 'ask.report';
/** Subject of the shares of one report process (src/report/shards.ts). */
export const askPartialSubject = (id: string): string => `ask.partial.${id}`;
/** Subject that any process with the deliver role answers: how endpoints fare. */
export const askDeliverSubject = 'ask.deliver';
/** Subject that any edge answers: the numbers of a report (figures.ts). */
export const askFiguresSubject = 'ask.figures';
/** Subject on which a partition's owner publishes its generation, after each comparison of the log with the folded state. */
export const comparedSubject = (partition: number | '*'): string => `log.compared.${partition}`;
/** Subject on which every edge hears the keys of users whose links are deleted (src/ingest/acked-links.ts). */
export const forgottenLinksSubject = 'links.forgotten';
/** Subject on which edges tell each other that they are there, and what keys use of their limits (src/edge/admission/fellow-edges.ts). */
export const edgesSubject = 'edges.used';
/** Subject on which processes that fold tell edges of others how far they are (src/cluster/applied-report.ts). */
export const appliedSubject = 'cluster.applied';
/** NATS carries 1 MiB a message; the rest is room for framing. */
export const replyBytesMax = 900_000;
