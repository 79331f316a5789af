// A visitor of the shop: origin, loyalty, and the time of the sign-up.
//   V1. Each visitor is drawn from their own seed, and what surrounds their events from another one.
import {Random} from '../random.js';
import {seedOf} from './seed.js';
import {Surroundings} from './surroundings.js';

export type Plan = 'free' | 'plus' | 'pro';

interface Country {
  readonly code: string;
  readonly weight: number;
  /** Hours from UTC; the shop knows no summer time. */
  readonly offset: number;
  readonly locale: string;
  readonly timezone: string;
}

export const countries: readonly Country[] = [
  {code: 'DE', weight: 26, offset: 1, locale: 'de-DE', timezone: 'Europe/Berlin'},
  {code: 'FR', weight: 14, offset: 1, locale: 'fr-FR', timezone: 'Europe/Paris'},
  {code: 'GB', weight: 14, offset: 0, locale: 'en-GB', timezone: 'Europe/London'},
  {code: 'NL', weight: 8, offset: 1, locale: 'nl-NL', timezone: 'Europe/Amsterdam'},
  {code: 'ES', weight: 7, offset: 1, locale: 'es-ES', timezone: 'Europe/Madrid'},
  {code: 'PL', weight: 6, offset: 1, locale: 'pl-PL', timezone: 'Europe/Warsaw'},
  {code: 'US', weight: 18, offset: -6, locale: 'en-US', timezone: 'America/Chicago'},
  {code: 'CA', weight: 4, offset: -5, locale: 'en-CA', timezone: 'America/Toronto'},
  {code: 'JP', weight: 3, offset: 9, locale: 'ja-JP', timezone: 'Asia/Tokyo'},
];
const countryWeights = countries.map(({weight}) => weight);

const devices = ['mobile', 'desktop', 'tablet'] as const;
const deviceWeights = [56, 38, 6];

/** How often a visitor returns: on a day with probability `base` * (1 + days since the first visit) ^ -`fading`. */
const loyalties = [
  {weight: 55, base: 0, fading: 0},
  {weight: 33, base: 0.22, fading: 0.55},
  {weight: 12, base: 0.45, fading: 0.15},
] as const;
const loyaltyWeights = loyalties.map(({weight}) => weight);

const firstNames = ['Ada', 'Ben', 'Cleo', 'Dario', 'Elif', 'Finn', 'Greta', 'Hugo', 'Ida', 'Jonas', 'Kira', 'Leo'];
const lastNames = ['Adler', 'Bauer', 'Costa', 'Dubois', 'Evans', 'Fischer', 'Garcia', 'Hansen', 'Ito', 'Jansen'];

/** Weights of the visit, from 0, with the sign-up; some visitors never sign up. */
const signUpWeights = [18, 14, 7, 3];
const neverWeight = 58;

export class Visitor {
  readonly random: Random;
  readonly anonymousId: string;
  readonly userId: string;
  readonly country: Country;
  readonly device: (typeof devices)[number];
  readonly name: string;
  readonly email: string;
  readonly surroundings: Surroundings;
  /** Number of the visit, from 0, with the sign-up; `Infinity`: never. */
  readonly signUpVisit: number;
  private readonly loyalty: (typeof loyalties)[number];
  readonly firstDay: number;
  /** Undefined before they sign up. */
  plan: Plan | undefined;
  visits = 0;
  orders = 0;
  /** Time of the last action. */
  lastMs = Number.NEGATIVE_INFINITY;
  /** Number of entries so far: part of each messageId. */
  sent = 0;

  constructor(shopSeed: number, number: number, firstDay: number) {
    const seed = seedOf(shopSeed, number);
    const random = new Random(seed); // V1
    this.random = random;
    this.firstDay = firstDay;
    this.anonymousId = `anon-${number.toString(36)}-${random.between(0x100000, 0xffffff).toString(16)}`;
    this.userId = `customer-${number}`;
    this.country = countries[random.weightedIndex(countryWeights)]!;
    this.device = devices[random.weightedIndex(deviceWeights)]!;
    this.loyalty = loyalties[random.weightedIndex(loyaltyWeights)]!;
    this.name = `${random.pick(firstNames)} ${random.pick(lastNames)}`;
    this.email = `${this.name.toLowerCase().replace(' ', '.')}.${number}@example.com`;
    this.surroundings = new Surroundings(seedOf(seed, number), number, this.country, this.device); // V1
    const visit = random.weightedIndex([...signUpWeights, neverWeight]);
    this.signUpVisit = visit < signUpWeights.length ? visit : Number.POSITIVE_INFINITY;
  }

  get mayReturn(): boolean {
    return this.loyalty.base > 0;
  }

  /** Draws whether the visitor returns on this day, after the first. `mood`: of the day, 1 on an average one. */
  returnsOn(day: number, mood: number): boolean {
    const {base, fading} = this.loyalty;
    return this.random.chance(Math.min(0.95, mood * base * (1 + day - this.firstDay) ** -fading));
  }
}
