// An invariant that was broken in a round.

export type Invariant =
  | 'lost'
  | 'double'
  | 'invented'
  | 'refusal'
  | 'altered'
  | 'erased'
  | 'history'
  | 'profile'
  | 'report'
  | 'position'
  | 'answer'
  | 'recovery'
  | 'durability'
  | 'webhook';

export interface Broken {
  readonly invariant: Invariant;
  readonly detail: string;
}
