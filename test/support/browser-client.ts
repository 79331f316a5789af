// Asks the dashboard's routes as a browser would: with its cookie, and with the headers that a page of the same origin sends.
import {type HttpAnswer, HttpClient} from '../../tools/http-client.js';

export type PageAnswer = HttpAnswer;

export interface AskOptions {
  readonly json?: unknown;
  /** On top of what a page sends; an empty text leaves a header out. */
  readonly headers?: Readonly<Record<string, string>>;
}

export class BrowserClient {
  /** The session's, as `Cookie` carries it. */
  cookie = '';

  private readonly client: HttpClient;

  constructor(readonly baseUrl: string) {
    this.client = new HttpClient(baseUrl);
  }

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
    const sent = {
      Origin: this.baseUrl,
      'X-Millrace': '1',
      'Sec-Fetch-Site': 'same-origin',
      ...(this.cookie === '' ? {} : {Cookie: this.cookie}),
      ...(json === undefined ? {} : {'Content-Type': 'application/json'}),
      ...headers,
    };
    const kept = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== ''));
    const body = json === undefined ? undefined : JSON.stringify(json);
    return this.client.send(method, path, {headers: kept, body});
  }
}
