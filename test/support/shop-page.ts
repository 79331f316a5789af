// A page of another origin than the service, as a shop that is tracked has one.
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';

export interface ShopPage {
  /** Of the page. */
  readonly url: string;
  close(): void;
}

/** `scripts`: files, by the paths under which the page finds them. */
export async function startShopPage(scripts: Readonly<Record<string, string>> = {}): Promise<ShopPage> {
  const server = createServer((asked, answer) => {
    const script = scripts[asked.url ?? ''];
    if (script === undefined) answer.setHeader('Content-Type', 'text/html').end('<title>shop</title>');
    else answer.setHeader('Content-Type', 'text/javascript').end(readFileSync(script));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
