// Requests as bytes. Strings are latin1: one character, one byte.
import {testSecretKey, testWriteKey} from '../support/service.js';

export const userId = 'raw';
export const event = (name: string): string => JSON.stringify({event: name, userId});

export const json = 'Content-Type: application/json';
export const chunked = 'Transfer-Encoding: chunked';
export const lengthOf = (body: string): string => `Content-Length: ${body.length}`;
const hex = (value: number): string => value.toString(16);

/** Any request; `lines` are those of the head, without their ends. */
export const message = (lines: readonly string[], body = ''): string => `${lines.join('\r\n')}\r\n\r\n${body}`;

/** A tracked event, with the headers that say where its body ends. */
export function post(framing: readonly string[], body: string, line = 'POST /v1/events HTTP/1.1'): string {
  return message([line, 'Host: x', `Authorization: Bearer ${testWriteKey}`, json, ...framing], body);
}

export const goodPost = (body: string): string => post([lengthOf(body)], body);

export function get(path: string, headers: readonly string[] = [], version = 'HTTP/1.1'): string {
  return message([`GET ${path} ${version}`, 'Host: x', ...headers]);
}

/** With the key that may read and delete. */
export const authorized = (line: string): string =>
  message([line, 'Host: x', `Authorization: Bearer ${testSecretKey}`]);

/** A read that is not answered before another role was asked; of what is published, which a busy machine has as well. */
export const slowGet = authorized('GET /v1/reports/users?from=2024-01-01&to=2024-01-01 HTTP/1.1');

export const chunk = (data: string): string => `${hex(data.length)}\r\n${data}\r\n`;
export const lastChunk = '0\r\n\r\n';

/** A request that nobody may ever execute: each of these stands where a strict reader sees a part of another one. */
export const smuggled = goodPost(event('smuggled'));
