// The address of the client of an exchange. Anybody can write X-Forwarded-For: it is trusted as far as proxies of
// TRUSTED_PROXIES wrote it. Each of these adds, on the right, the address that it got the request from.
import {BlockList, isIP, SocketAddress} from 'node:net';

/** The connection of an exchange, and the header of its proxies. */
export interface Origin {
  /** Empty when the connection is closed. */
  peerAddress(): string;
  readonly forwardedFor: string;
}

export class ClientAddresses {
  private readonly trusted = new BlockList();
  private readonly trustsNobody: boolean;
  private readonly warn: (message: string) => void;
  private hasWarned = false;

  /** `trustedProxies`: addresses, and blocks of them as `<address>/<bits>`. */
  constructor(trustedProxies: readonly string[], warn: (message: string) => void) {
    this.warn = warn;
    this.trustsNobody = trustedProxies.length === 0;
    for (const block of trustedProxies) {
      const [address = '', bits] = block.split('/');
      if (bits === undefined) this.trusted.addAddress(address, familyOf(address));
      else this.trusted.addSubnet(address, Number(bits), familyOf(address));
    }
  }

  /**
   * The client's address in one form: IPv6 as in RFC 5952, IPv4 never as IPv6. Empty when the connection is closed.
   * Finding it costs microseconds: callers ask only when they need it.
   */
  of(origin: Origin): string {
    const peer = origin.peerAddress();
    if (!this.isTrusted(peer)) return peer;
    let client = peer;
    for (const said of origin.forwardedFor.split(',').reverse()) {
      const address = readAddress(said);
      if (address === undefined) break; // An untrusted proxy may have written the addresses further left.
      client = address;
      if (!this.isTrusted(client)) break;
    }
    return client;
  }

  /** Warns once when a request has X-Forwarded-For although no proxy is trusted: behind a proxy all clients have its address. */
  noteForwarded(): void {
    if (!this.trustsNobody || this.hasWarned) return;
    this.hasWarned = true;
    this.warn(
      'X-Forwarded-For is ignored: behind a proxy all clients count as one address, so set TRUSTED_PROXIES to the ' +
        "proxy's address",
    );
  }

  /** Whether a trusted proxy sent the request: its other headers are trusted, too. */
  isByProxy(origin: Origin): boolean {
    return !this.trustsNobody && this.isTrusted(origin.peerAddress());
  }

  private isTrusted(address: string): boolean {
    return !this.trustsNobody && address !== '' && this.trusted.check(address, familyOf(address));
  }
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** `bytes` of a socket: four, sixteen, or none when it is closed. */
export function addressOfBytes(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) return '';
  const groups = Array.from({length: 8}, (_, i) => ((bytes[2 * i]! << 8) | bytes[2 * i + 1]!).toString(16));
  return oneForm(groups.join(':'));
}

/** Reads an address as proxies write it: some add a port, and brackets around IPv6. */
function readAddress(text: string): string | undefined {
  const [, bracketed, v4] = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(text.trim()) ?? [];
  const address = bracketed ?? v4 ?? text.trim();
  return isIP(address) === 0 || address.includes('%') ? undefined : oneForm(address);
}

function oneForm(address: string): string {
  if (isIP(address) === 4) return address;
  const {address: short} = new SocketAddress({address, family: 'ipv6'});
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(short) ?? [];
  return mapped ?? short;
}
