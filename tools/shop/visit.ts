// The actions of a visitor on one visit, from the landing page to the order, and their consequences days later.
//   VI1. Actions of one visit are at least a second apart, so that the order of sending decides no report.
import type {ShopEntry} from './entry.js';
import type {Plan, Visitor} from './visitor.js';

interface Product {
  readonly id: string;
  readonly category: string;
  /** Cents. */
  readonly price: number;
}

const categories = ['shoes', 'shirts', 'bags', 'watches', 'outdoor', 'kitchen'];
export const products: readonly Product[] = categories.flatMap((category, c) =>
  Array.from({length: 8}, (_, p) => ({
    id: `${category}-${p + 1}`,
    category,
    price: 990 + 1_000 * ((c * 7 + p * 5) % 19) + 500 * c,
  })),
);
const queries = ['running shoes', 'linen shirt', 'backpack', 'gift', 'rain jacket', 'espresso', 'sale', 'size 43'];
const referrers = ['google', 'direct', 'instagram', 'newsletter', 'price-search'];
const referrerWeights = [38, 30, 16, 9, 7];
const payments = ['card', 'paypal', 'invoice'];

/** Average number of events of a first visit: converts events a day into people. */
export const firstVisitEvents = 4.5;

const secondMs = 1_000;
const dayMs = 86_400_000;

export interface Occasion {
  readonly startMs: number;
  /** Campaign of the shop at this time, if any. */
  readonly campaign: string | undefined;
}

/** All entries of a visit, by time except for those days later. `scope`: part of the messageIds. */
export function visitOf(visitor: Visitor, occasion: Occasion, scope: string): ShopEntry[] {
  const visit = new Visit(visitor, occasion, scope);
  visit.run();
  return visit.entries;
}

class Visit {
  readonly entries: ShopEntry[] = [];
  private readonly visitor: Visitor;
  private readonly campaign: string | undefined;
  private readonly scope: string;
  private timeMs: number;
  private isKnown: boolean;
  private readonly cart: Product[] = [];

  constructor(visitor: Visitor, {startMs, campaign}: Occasion, scope: string) {
    this.visitor = visitor;
    this.campaign = campaign;
    this.scope = scope;
    this.timeMs = startMs;
    // Most cookies survive.
    this.isKnown = visitor.plan !== undefined && visitor.random.chance(0.7);
  }

  run(): void {
    const {visitor} = this;
    const {random} = visitor;
    this.land();
    const signsUp = visitor.plan === undefined && visitor.visits >= visitor.signUpVisit;
    const signsUpFirst = signsUp && random.chance(0.8);
    if (signsUpFirst) this.signUp();
    else if (visitor.plan !== undefined && !this.isKnown && random.chance(0.6)) this.logIn();
    this.browse();
    const isOrdered = this.cart.length > 0 && this.checkOut();
    if (signsUp && !signsUpFirst) this.signUp();
    if (isOrdered && visitor.plan !== undefined && visitor.orders >= 2 && random.chance(0.15)) this.changePlan();
    visitor.visits += 1;
    visitor.lastMs = this.timeMs;
  }

  private land(): void {
    const {random} = this.visitor;
    const referrer = referrers[random.weightedIndex(referrerWeights)]!;
    const path = random.chance(0.6) ? '/' : `/c/${random.pick(categories)}`;
    this.track('page_viewed', {path, referrer});
  }

  private browse(): void {
    const {random, visits} = this.visitor;
    for (let pages = random.between(0, 2 + Math.min(visits, 2)); pages > 0; pages--) {
      this.wait(5, 90);
      this.track('page_viewed', {path: `/c/${random.pick(categories)}`});
    }
    if (random.chance(0.3)) {
      this.wait(4, 40);
      this.track('search_used', {path: '/search', query: random.pick(queries), results: random.between(0, 48)});
    }
    const wish = this.campaign === undefined ? 0.2 : 0.27;
    for (let views = random.between(0, 3 + Math.min(visits, 3)); views > 0; views--) this.viewProduct(wish);
  }

  private viewProduct(wish: number): void {
    const {random} = this.visitor;
    // The first products of a category are its most viewed ones.
    const product = products[Math.floor(products.length * random.next() * random.next())]!;
    const about = {product: product.id, category: product.category, price: product.price};
    this.wait(8, 120);
    this.track('product_viewed', {path: `/p/${product.id}`, ...about});
    if (!random.chance(wish)) return;
    this.wait(5, 60);
    this.track('cart_added', {path: `/p/${product.id}`, ...about, quantity: random.between(1, 2)});
    this.cart.push(product);
    if (!random.chance(0.08)) return;
    this.wait(5, 60);
    this.track('cart_removed', {path: '/cart', ...about});
    this.cart.pop();
  }

  /** @returns whether the visitor ordered something. */
  private checkOut(): boolean {
    const {visitor} = this;
    const {random} = visitor;
    if (!random.chance(this.isKnown ? 0.72 : 0.5)) return false;
    const full = this.cart.reduce((sum, {price}) => sum + price, 0);
    this.wait(15, 240);
    this.track('checkout_started', {path: '/checkout', items: this.cart.length, value: full});
    const hasCoupon = this.campaign !== undefined && random.chance(0.4);
    const value = hasCoupon ? Math.floor(full * 0.9) : full;
    if (hasCoupon) {
      this.wait(5, 40);
      this.track('coupon_applied', {path: '/checkout', coupon: 'TEN', discount: full - value});
    }
    if (!random.chance(0.66)) return false;
    this.wait(30, 400);
    const order = `order-${this.scope}-${visitor.userId.slice('customer-'.length)}-${visitor.orders + 1}`;
    const payment = random.pick(payments);
    this.track('order_placed', {path: '/checkout', order, items: this.cart.length, value, currency: 'EUR', payment});
    visitor.orders += 1;
    if (random.chance(0.1)) {
      this.wait(5, 60);
      this.track('newsletter_subscribed', {path: '/thanks'});
    }
    if (random.chance(0.06)) this.refund(order, value);
    return true;
  }

  /** Refunds days later, from the shop's server. */
  private refund(order: string, value: number): void {
    const {random} = this.visitor;
    const timeMs = this.timeMs + random.between(1, 9) * dayMs + random.between(1, 8 * 3_600) * secondMs;
    this.add('event', timeMs, {event: 'refund_issued', ...this.who(), properties: {...this.common(), order, value}});
  }

  private signUp(): void {
    this.wait(20, 120);
    this.visitor.plan = 'free';
    this.isKnown = true;
    this.identify({name: this.visitor.name, email: this.visitor.email, country: this.visitor.country.code});
    this.track('signup', {path: '/join', method: this.visitor.random.pick(['email', 'google'])});
  }

  private logIn(): void {
    this.wait(8, 60);
    this.isKnown = true;
    this.identify({});
    this.track('login', {path: '/login'});
  }

  private changePlan(): void {
    const next: Plan = this.visitor.plan === 'free' ? 'plus' : 'pro';
    if (next === this.visitor.plan) return;
    this.wait(10, 90);
    const from = this.visitor.plan;
    this.visitor.plan = next;
    this.identify({});
    this.track('plan_changed', {path: '/account/plan', from, price: next === 'plus' ? 490 : 990});
  }

  private wait(leastSeconds: number, mostSeconds: number): void {
    this.timeMs += this.visitor.random.between(leastSeconds * secondMs, mostSeconds * secondMs); // VI1
  }

  private track(event: string, properties: Readonly<Record<string, unknown>>): void {
    this.add('event', this.timeMs, {event, ...this.who(), properties: {...this.common(), ...properties}});
  }

  private who(): object {
    const {anonymousId, userId} = this.visitor;
    return this.isKnown ? {userId, anonymousId} : {anonymousId};
  }

  private common(): object {
    const {country, device, plan} = this.visitor;
    const campaign = this.campaign === undefined ? {} : {campaign: this.campaign};
    return {country: country.code, device, plan: this.isKnown ? plan : 'guest', ...campaign};
  }

  private identify(traits: Readonly<Record<string, unknown>>): void {
    const {userId, plan, orders} = this.visitor;
    this.add('identify', this.timeMs, {userId, traits: {...traits, plan, orders}});
    this.timeMs += secondMs; // VI1
  }

  private add(kind: ShopEntry['kind'], timeMs: number, body: object): void {
    const timestamp = new Date(timeMs).toISOString();
    const messageId = `${this.scope}-${this.visitor.userId.slice('customer-'.length)}-${this.visitor.sent++}`;
    this.entries.push({kind, timeMs, json: JSON.stringify({...body, timestamp, messageId})});
  }
}
