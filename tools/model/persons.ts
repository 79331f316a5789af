// Who is whose: the first user that comes with an anonymousId is its person; from the second one on it is nobody's.
//   Owns: the rules of docs/api/people.md, Identity, over maps. Does not own: events (model.ts).

interface Device {
  /** Undefined: the user was deleted. */
  readonly owner: string | undefined;
  readonly isShared: boolean;
}

export class Persons {
  /** By anonymousId. */
  private readonly devices = new Map<string, Device>();
  /** Users who came with an anonymousId. */
  private readonly linked = new Set<string>();

  /** Both ids came together. @returns whether that made the anonymousId the user's. */
  link(anonymousId: string, userId: string): boolean {
    this.linked.add(userId);
    const held = this.devices.get(anonymousId);
    if (held === undefined) this.devices.set(anonymousId, {owner: userId, isShared: false});
    else if (held.owner !== userId) this.devices.set(anonymousId, {...held, isShared: true});
    return held === undefined;
  }

  /** The user that an anonymousId is. */
  ownerOf(anonymousId: string): string | undefined {
    const held = this.devices.get(anonymousId);
    return held === undefined || held.isShared ? undefined : held.owner;
  }

  /** The anonymousIds that a user is. */
  devicesOf(userId: string): string[] {
    return [...this.devices.keys()].filter((anonymousId) => this.ownerOf(anonymousId) === userId);
  }

  isLinked(userId: string): boolean {
    return this.linked.has(userId);
  }

  /** What is shared stays shared. */
  forget(userId: string): void {
    this.linked.delete(userId);
    for (const [anonymousId, {owner, isShared}] of this.devices) {
      if (owner !== userId) continue;
      if (isShared) this.devices.set(anonymousId, {owner: undefined, isShared});
      else this.devices.delete(anonymousId);
    }
  }
}
