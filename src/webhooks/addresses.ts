// Addresses that deliveries may connect to: public ones, and those that the operator allows.
//   AD1. The check is on the address that the socket connects to. A name that resolves differently the second time (DNS rebinding)
//        cannot pass it.
//   AD2. An IPv6 address that carries an IPv4 address (mapped, NAT64, 6to4, Teredo) is refused, whatever it carries: no receiver
//        needs one, and each is a way around the list.
//   AD3. Clouds serve metadata and platform services to their own machines at addresses that look public: those are refused.
//   AD4. A name that does not resolve and one that resolves to refused addresses fail with the same words: a delivery tells nobody
//        which names a private network has.
import {type LookupAddress, type LookupAllOptions, lookup} from 'node:dns';
import {BlockList, isIP, type LookupFunction} from 'node:net';

/** IANA's registries of special addresses (RFC 6890 and later): not globally reachable, or reserved for one network. */
const special = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];

/**
 * AD3. Of Azure (the agent and DNS), of IBM Cloud (service endpoints), and of Google Cloud (private access to its APIs). Others are
 * within the special blocks: 169.254.0.0/16 of most, 100.100.100.200 of Alibaba, 192.0.0.192 of Oracle, fd00::/8.
 */
const platforms = [
  ...['168.63.129.16', '161.26.0.0/16', '166.8.0.0/14', '199.36.153.4/30', '199.36.153.8/30'],
  ...['2600:2d00:2:1000::/64', '2600:2d00:2:2000::/64'],
];

/** IPv6: global unicast is public, except documentation (2001:db8, 3fff), Teredo, ORCHID and 6to4. AD2 */
const globalUnicast = '2000::/3';
const specialWithin = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '2620:4f:8000::/48'];

function listOf(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [address = '', bits] = block.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

const refusedV4 = listOf([...special, ...platforms]);
const globalList = listOf([globalUnicast]);
const refusedV6 = listOf([...specialWithin, ...platforms]);

export interface AddressRules {
  /** Addresses and blocks that are allowed although they are not public. */
  readonly allowed: readonly string[];
  readonly allowsHttp: boolean;
}

/** AD4 */
const noAddress = 'the name does not resolve to a public address';

/** Connections to this address are refused. */
export class RefusedAddress extends Error {
  override name = 'RefusedAddress';
}

export class Addresses {
  private readonly allowed: BlockList;
  private readonly allowsHttp: boolean;
  private readonly resolve: Resolve;

  /** `resolve`: of the system, unless a test has its own. */
  constructor({allowed, allowsHttp}: AddressRules, resolve: Resolve = lookup) {
    this.resolve = resolve;
    this.allowed = listOf(allowed);
    this.allowsHttp = allowsHttp;
  }

  /** Whether a socket may connect to this IP address. A host name is never allowed. */
  isAllowed(address: string): boolean {
    const family = isIP(address);
    if (family === 0) return false;
    if (this.allowed.check(address, family === 6 ? 'ipv6' : 'ipv4')) return true;
    if (family === 4) return !refusedV4.check(address, 'ipv4');
    return globalList.check(address, 'ipv6') && !refusedV6.check(address, 'ipv6');
  }

  /** Reason in words why this URL is refused; undefined: it is not. The addresses of a host name are checked at the connection. */
  faultOf(text: string): string | undefined {
    if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)) return 'it must have no control character'; // URL would drop it silently.
    if (!URL.canParse(text)) return 'it is no URL';
    const url = new URL(text);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && this.allowsHttp))
      return 'it must begin with https://';
    if (url.username !== '' || url.password !== '') return 'it must have no user information';
    if (text.includes('#')) return 'it must have no fragment';
    const host = hostOf(url);
    const isLocalName = isIP(host) === 0 && /^(?:.*\.)?localhost\.?$/i.test(host);
    const isRefused = isLocalName ? !this.isAllowed('127.0.0.1') : isIP(host) !== 0 && !this.isAllowed(host);
    return isRefused ? 'its address is private or reserved' : undefined;
  }

  /** Resolves a name for a connection to its allowed addresses only. AD1 */
  readonly lookup: LookupFunction = (name, options, callback) => {
    this.resolve(name, {...options, all: true}, (error, found) => {
      const allowed = error === null ? found.filter(({address}) => this.isAllowed(address)) : [];
      const [first] = allowed;
      if (first === undefined) return callback(new RefusedAddress(noAddress), '', 0); // AD4
      if (options.all) (callback as unknown as AllFound)(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

/** All addresses of a name. */
type Resolve = (name: string, options: LookupAllOptions, callback: AllResolved) => void;
type AllResolved = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;
type AllFound = (error: null, addresses: readonly LookupAddress[]) => void;

/** Host of a URL, without the brackets of IPv6. */
const hostOf = ({hostname}: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');
