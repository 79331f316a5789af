// What a mail says: a subject, a text, and the text as HTML.
//   LE1. It names no user, like the texts of chats (src/webhooks/chat.ts CH1). Names of events and of what is kept are clients' texts: they are
//        escaped, and no link is made of them.
//   LE2. The subject is one line without control characters.
import {figureWords, reportHead, type ToldReport} from '../digests/texts.js';
import {chatText, shortened} from '../webhooks/chat.js';
import type {TriggerType} from '../webhooks/trigger.js';

export interface Letter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

type MessageData = Readonly<Record<string, unknown>>;

const subjectCharsMax = 150;
const signature = 'Sent by Millrace. Who gets it is set under Settings, Webhooks.';

export function letterOf(type: TriggerType, data: MessageData): Letter {
  const said = chatText(type, data).toWellFormed();
  const [first = '', ...lines] = said.split('\n');
  const subject = shortened(first.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim(), subjectCharsMax); // LE2
  const body =
    type === 'report.digest'
      ? (data.reports as readonly ToldReport[]).map(reportHtml).join('')
      : lines.map((line) => `<p style="margin:0 0 8px">${escaped(line)}</p>`).join('');
  return {subject, text: `${said}\n\n-- \n${signature}\n`, html: page(first, body)};
}

const page = (head: string, body: string): string =>
  '<!doctype html><html lang="en"><meta charset="utf-8"><body style="margin:0;padding:24px;background:#f6f7f9">' +
  '<div style="max-width:640px;margin:0 auto;padding:24px;background:#ffffff;border:1px solid #e3e6ea;border-radius:8px;' +
  'font:15px/1.5 -apple-system,Segoe UI,Helvetica,Arial,sans-serif;color:#1b1f24">' +
  `<h1 style="margin:0 0 16px;font-size:17px;line-height:1.4">${escaped(head)}</h1>${body}` +
  `<p style="margin:20px 0 0;font-size:13px;color:#5b6470">${signature}</p></div></body></html>`;

function reportHtml(report: ToldReport): string {
  const rows = report.figures.map((figure) => {
    const {name, value, change} = figureWords(figure);
    return (
      `<tr><td style="padding:4px 16px 4px 0">${escaped(name)}</td>` +
      `<td style="padding:4px 16px 4px 0;text-align:right;font-weight:600">${escaped(value)}</td>` +
      `<td style="padding:4px 0;color:#5b6470">${escaped(change)}</td></tr>`
    );
  });
  const link =
    report.link === undefined
      ? ''
      : `<p style="margin:0 0 8px"><a href="${escaped(report.link)}" style="color:#0b57c9">Open this report</a></p>`;
  const none = report.error === undefined ? '' : `<p style="margin:0 0 8px">No numbers: ${escaped(report.error)}</p>`;
  return (
    `<h2 style="margin:20px 0 4px;font-size:13px;font-weight:600;color:#5b6470">${escaped(reportHead(report))}</h2>` +
    `${none}<table style="border-collapse:collapse;margin:0 0 8px">${rows.join('')}</table>${link}`
  );
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** LE1 */
const escaped = (text: string): string => text.toWellFormed().replace(/[&<>"']/g, (char) => entities[char]!);
