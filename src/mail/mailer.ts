// One attempt: a mail to one address through the operator's SMTP server, and what the server's answers mean.
//   ML1. A mail has the same Message-ID at each attempt. It counts as delivered when the server has taken it on (250 after the data). If
//        the connection ends before that answer comes, nobody can tell: it is sent again, under the same Message-ID.
//   ML2. A refusal for good (5xx) of the sender, the recipient or the mail ends the delivery: SMTP forbids to repeat it. Others, of
//        the login as well, are tried again.
//   ML3. A password is sent over TLS with a certificate that is checked, or not at all. Without a password, TLS is used where the server
//        offers it, whatever its certificate: who could forge that could as well hide the offer.
//   ML4. The server's address is the operator's own choice, so it may be private (unlike the URL of a webhook, which whoever manages
//        webhooks chooses: src/webhooks/addresses.ts). Nothing that the server says is kept but its status.
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type {Outcome} from '../webhooks/post.js';
import type {Letter} from './letter.js';
import {mailAddressOf, type Sender} from './mail-address.js';

/** Time limit of an attempt: servers answer after looking a mail over. */
const attemptMsMax = 30_000;

/** The operator's SMTP server, and the sender of all mails. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte on (`smtps:`). */
  readonly isTls: boolean;
  readonly login?: {readonly user: string; readonly password: string};
  readonly from: Sender;
}

export interface Mail extends Letter {
  /** Id of the message and of the endpoint. ML1 */
  readonly id: string;
  readonly timestampMs: number;
}

interface MailerOptions {
  readonly server: MailServer;
  /** Time limit of an attempt; tests set a shorter one. */
  readonly msMax?: number;
  /** Certificate authorities to trust as well as those of the system: for tests. */
  readonly ca?: string;
}

/** Members of nodemailer's errors. */
interface SmtpError extends Error {
  readonly code?: string | undefined;
  readonly responseCode?: number | undefined;
}

export class Mailer {
  private readonly options: MailerOptions;

  constructor(options: MailerOptions) {
    this.options = options;
  }

  /**
   * Makes one attempt. `mailOf` is called once the server takes mails; undefined: there is nothing to send any more. Rejects as `mailOf`
   * does, and otherwise never.
   */
  async send(target: string, mailOf: () => Promise<Mail | undefined>): Promise<Outcome> {
    const to = mailAddressOf(target);
    if (to === undefined) return {kind: 'failed', why: 'it is no mail address'};
    const {msMax = attemptMsMax} = this.options;
    const connection = new SMTPConnection(this.connecting(msMax));
    return new Promise((resolve, reject) => {
      const end = (outcome: Outcome): void => {
        clearTimeout(timer);
        resolve(outcome);
      };
      const timer = setTimeout(() => {
        end({kind: 'failed', why: `the mail server took longer than ${msMax / 1_000} s`});
        connection.close();
      }, msMax);
      const fail = (error: SmtpError): void => {
        end(outcomeOf(error));
        connection.close();
      };
      // Also emitted when the connection ends in the middle.
      connection.on('error', fail);
      connection.on('end', () => end({kind: 'failed', why: 'the mail server closed the connection'}));
      const write = async (): Promise<void> => {
        const mail = await mailOf();
        if (mail === undefined) {
          end({kind: 'erased'});
          connection.quit();
          return;
        }
        const message = await this.messageOf(mail, to);
        connection.send({from: this.options.server.from.address, to: [to]}, message, (error, sent) => {
          if (error !== null) return fail(error);
          end({kind: 'delivered', status: statusOf(sent!.response)});
          connection.quit();
        });
      };
      const begin = (): void =>
        void write().catch((error: Error) => {
          clearTimeout(timer);
          reject(error);
          connection.close();
        });
      connection.connect((error) => {
        if (error) return fail(error);
        const {login} = this.options.server;
        if (login === undefined) return begin();
        connection.login({user: login.user, pass: login.password}, (refusal) => (refusal ? fail(refusal) : begin()));
      });
    });
  }

  private connecting(msMax: number): SMTPConnection.Options {
    const {server, ca} = this.options;
    const {host, port, isTls, login, from} = server;
    return {
      ...{host, port, secure: isTls, name: domainOf(from)},
      ...{connectionTimeout: msMax, greetingTimeout: msMax, socketTimeout: msMax, dnsTimeout: msMax},
      requireTLS: login !== undefined && !isTls, // ML3
      tls: {rejectUnauthorized: isTls || login !== undefined, ...(ca !== undefined && {ca})},
    };
  }

  private messageOf({id, timestampMs, subject, text, html}: Mail, to: string): Promise<Buffer> {
    const {from} = this.options.server;
    const composer = new MailComposer({
      from: {name: from.name, address: from.address},
      to: {name: '', address: to},
      messageId: `<${id}@${domainOf(from)}>`,
      date: new Date(timestampMs),
      ...{subject, text, html},
      headers: {'Auto-Submitted': 'auto-generated'},
      ...{disableFileAccess: true, disableUrlAccess: true, newline: '\r\n'},
    });
    return composer.compile().build();
  }
}

const domainOf = ({address}: Sender): string => address.slice(address.lastIndexOf('@') + 1);

const statusOf = (response: string): number => Number(/^\d{3}/.exec(response)?.[0] ?? 250);

/** Codes of refusals of the sender, the recipient, or the mail. ML2 */
const ofMail = new Set<string | undefined>(['EENVELOPE', 'EMESSAGE']);

function outcomeOf({code, responseCode: status}: SmtpError): Outcome {
  if (status !== undefined && status >= 400 && code !== 'ETLS')
    return {kind: 'failed', status, ...(status >= 500 && ofMail.has(code) && {isFinal: true})};
  const words = code === undefined ? undefined : knownCodes[code];
  return {
    kind: 'failed',
    why: words ?? `the connection to the mail server failed${code === undefined ? '' : ` (${code})`}`,
  };
}

/** nodemailer's own codes, in words. */
const knownCodes: Readonly<Record<string, string>> = {
  EAUTH: 'the mail server takes no such login',
  ETLS: 'the mail server offers no TLS, or a certificate that does not hold',
  ETIMEDOUT: 'the mail server did not answer in time',
};
