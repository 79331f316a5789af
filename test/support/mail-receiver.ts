// A mail server on loopback that keeps what it is sent.
import {once} from 'node:events';
import {SMTPServer} from 'smtp-server';

interface Options {
  /** PEM. With it there is TLS: from the first byte (`smtps:`) or by STARTTLS. */
  readonly tls?: {readonly cert: string; readonly key: string; readonly isFromStart: boolean};
  readonly login?: {readonly user: string; readonly password: string};
  /** Refusals, by the step of the protocol: the status. They may change. */
  readonly refusals?: Map<'from' | 'to' | 'data', number>;
}

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As it came, but with its bodies decoded. */
  readonly text: string;
  readonly isTls: boolean;
}

export interface MailReceiver {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  stop(): Promise<void>;
}

class Refusal extends Error {
  constructor(readonly responseCode: number) {
    super('refused, as the test wants it');
  }
}

export async function startMailReceiver({tls, login, refusals = new Map()}: Options = {}): Promise<MailReceiver> {
  const mails: ReceivedMail[] = [];
  const refusalOf = (step: 'from' | 'to' | 'data'): Error | null => {
    const status = refusals.get(step);
    return status === undefined ? null : new Refusal(status);
  };
  const server = new SMTPServer({
    secure: tls?.isFromStart ?? false,
    ...(tls && {cert: tls.cert, key: tls.key}),
    disabledCommands: [...(tls === undefined ? ['STARTTLS'] : []), ...(login === undefined ? ['AUTH'] : [])],
    disableReverseLookup: true,
    closeTimeout: 100,
    logger: false,
    onAuth: ({username, password}, _, done) =>
      username === login?.user && password === login?.password
        ? done(null, {user: username})
        : done(new Error('no such login')),
    onMailFrom: (_, __, done) => done(refusalOf('from')),
    onRcptTo: (_, __, done) => done(refusalOf('to')),
    onData: (stream, {envelope, secure}, done) => {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        const refusal = refusalOf('data');
        if (refusal === null) {
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
          const to = envelope.rcptTo.map(({address}) => address);
          mails.push({from, to, text: decoded(Buffer.concat(pieces).toString()), isTls: secure});
        }
        done(refusal);
      });
    },
  });
  server.on('error', () => undefined); // Connections that the test breaks off.
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const {port} = server.server.address() as {port: number};
  return {port, mails, stop: () => new Promise((resolve) => server.close(resolve))};
}

/** Its bodies with long lines joined, and bytes of quoted-printable as text: enough for what nodemailer makes of texts. */
function decoded(message: string): string {
  const end = message.indexOf('\r\n\r\n');
  const bodies = message
    .slice(end)
    .replace(/=\r\n/g, '')
    .replace(/(?:=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString());
  return message.slice(0, end) + bodies;
}
