// As much of a document as Preact renders into: elements with their attributes, and texts.

export class PlainNode {
  readonly childNodes: PlainNode[] = [];
  readonly style = {setProperty: () => {}, cssText: ''};
  readonly attributes: unknown[] = [];
  readonly given = new Map<string, string>();
  parentNode: PlainNode | null = null;

  /** `name`: of an element; empty: a text. */
  constructor(
    readonly localName: string,
    public data = '',
  ) {}

  get nodeType(): number {
    return this.localName === '' ? 3 : 1;
  }

  get firstChild(): PlainNode | null {
    return this.childNodes[0] ?? null;
  }

  get nextSibling(): PlainNode | null {
    const all = this.parentNode?.childNodes ?? [];
    return all[all.indexOf(this) + 1] ?? null;
  }

  get ownerDocument(): unknown {
    return plainDocument;
  }

  get text(): string {
    return this.localName === '' ? this.data : this.childNodes.map(({text}) => text).join(' ');
  }

  insertBefore(node: PlainNode, before: PlainNode | null): PlainNode {
    node.remove();
    const at = before === null ? -1 : this.childNodes.indexOf(before);
    this.childNodes.splice(at < 0 ? this.childNodes.length : at, 0, node);
    node.parentNode = this;
    return node;
  }

  appendChild(node: PlainNode): PlainNode {
    return this.insertBefore(node, null);
  }

  removeChild(node: PlainNode): PlainNode {
    this.childNodes.splice(this.childNodes.indexOf(node), 1);
    node.parentNode = null;
    return node;
  }

  remove(): void {
    this.parentNode?.removeChild(this);
  }

  setAttribute(name: string, value: unknown): void {
    this.given.set(name, String(value));
  }

  removeAttribute(name: string): void {
    this.given.delete(name);
  }

  addEventListener(): void {}

  removeEventListener(): void {}

  focus(): void {}

  scrollIntoView(): void {}

  /** Elements of this name below it. */
  all(name: string): PlainNode[] {
    return this.childNodes.flatMap((one) => [...(one.localName === name ? [one] : []), ...one.all(name)]);
  }
}

export const plainDocument = {
  title: '',
  visibilityState: 'visible',
  body: new PlainNode('body'),
  head: new PlainNode('head'),
  documentElement: new PlainNode('html'),
  activeElement: null,
  createElement: (name: string) => new PlainNode(name),
  createElementNS: (_: string, name: string) => new PlainNode(name),
  createTextNode: (data: string) => new PlainNode('', String(data)),
  addEventListener: () => {},
  removeEventListener: () => {},
  querySelector: () => null,
};

/** What pages find around them at the address. */
export const plainWindow = (address: string): Readonly<Record<string, unknown>> => ({
  document: plainDocument,
  location: new URL(address),
  history: {length: 1, pushState: () => {}, replaceState: () => {}},
  localStorage: {getItem: () => null, setItem: () => {}},
  matchMedia: () => ({matches: false, addEventListener: () => {}}),
  addEventListener: () => {},
  removeEventListener: () => {},
  fetch: () => new Promise(() => {}),
});
