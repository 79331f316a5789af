// Asks the dashboard's routes as a browser would: with its cookie, and with the headers that a page of the same origin sends.
import {type IncomingHttpHeaders, request} from 'node:http';

export interface PageAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  json<T = Record<string, unknown>>(): T;
}

export interface AskOptions {
  readonly json?: unknown;
  /** On top of what a page sends; an empty text leaves a header out. */
  readonly headers?: Readonly<Record<string, string>>;
}

const answerMsMax = 60_000;

export class BrowserClient {
  /** The session's, as `Cookie` carries it. */
  cookie = '';

  constructor(readonly baseUrl: string) {}

  get(path: string, options: AskOptions = {}): Promise<PageAnswer> {
    return this.ask('GET', path, options);
  }

  post(path: string, json: unknown, options: AskOptions = {}): Promise<PageAnswer> {
    return this.ask('POST', path, {...options, json});
  }

  delete(path: string, options: AskOptions = {}): Promise<PageAnswer> {
    return this.ask('DELETE', path, options);
  }

  /** @returns the answer; from now on the session is this client's. */
  async signIn(way: {readonly code: string} | {readonly token: string}): Promise<PageAnswer> {
    const answer = await this.post('/dashboard/api/session', way);
    const [set] = answer.headers['set-cookie'] ?? [];
    if (set !== undefined) this.cookie = set.split(';', 1)[0];
    return answer;
  }

  ask(method: string, path: string, {json, headers = {}}: AskOptions): Promise<PageAnswer> {
    const url = new URL(path, this.baseUrl);
    const sent = {
      Origin: url.origin,
      'X-Millrace': '1',
      'Sec-Fetch-Site': 'same-origin',
      ...(this.cookie === '' ? {} : {Cookie: this.cookie}),
      ...(json === undefined ? {} : {'Content-Type': 'application/json'}),
      ...headers,
    };
    const kept = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== ''));
    const body = json === undefined ? undefined : JSON.stringify(json);
    return new Promise((resolve, reject) => {
      // A path as it is written: URL would normalise it.
      const {hostname, port} = url;
      const asked = request(
        {hostname, port, method, path, headers: kept, timeout: answerMsMax, agent: false},
        (answer) => {
          let text = '';
          answer.setEncoding('utf8');
          answer.on('data', (chunk: string) => {
            text += chunk;
          });
          answer.on('end', () =>
            resolve({
              status: answer.statusCode!,
              headers: answer.headers,
              text,
              json: <T>() => JSON.parse(text) as T,
            }),
          );
        },
      );
      asked.on('error', reject);
      asked.end(body);
    });
  }
}
