// An invariant that does not hold: the finding of a round.

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
  | 'durability';

export interface Broken {
  readonly invariant: Invariant;
  readonly detail: string;
}
