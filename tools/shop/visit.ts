// The actions of a visitor on one visit, from the landing page to the order, and their consequences days later.
//   VI1. Actions of one visit are at least a second apart, so that the order of sending decides no report.
//   VI2. Each page that the visitor sees is a page view; what they do there follows.
import {categories, type Product, pageViewed, products} from './catalogue.js';
import type {ShopEntry} from './entry.js';
import {type Arrival, addressOf, type Page, referrers} from './surroundings.js';
import type {Plan, Visitor} from './visitor.js';

const queries = ['running shoes', 'linen shirt', 'backpack', 'gift', 'rain jacket', 'espresso', 'sale', 'size 43'];
const referrerWeights = [38, 30, 16, 9, 7];
const payments = ['card', 'paypal', 'invoice'];

/** Average number of events of a first visit: converts events a day into people. */
export const firstVisitEvents = 6.9;

const secondMs = 1_000;
const dayMs = 86_400_000;

export interface Occasion {
  readonly startMs: number;
  /** Campaign of the shop at this time, if any. */
  readonly campaign: string | undefined;
}

type Properties = Readonly<Record<string, unknown>>;

const titleOf = (category: string): string => `${category[0]!.toUpperCase()}${category.slice(1)}`;

const queryOf = ({source, medium, name}: NonNullable<Arrival['campaign']>): string =>
  `?utm_source=${source}&utm_medium=${medium}&utm_campaign=${name}`;

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
  private page: Page = {path: '/', title: '', search: ''};
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
    const category = random.chance(0.6) ? undefined : random.pick(categories);
    const arrival = this.visitor.surroundings.arrival(referrer, this.campaign);
    const search = arrival.campaign === undefined ? '' : queryOf(arrival.campaign);
    if (category === undefined) this.see('/', 'Home', {referrer}, search, arrival);
    else this.see(`/c/${category}`, titleOf(category), {referrer}, search, arrival);
  }

  private browse(): void {
    const {random, visits} = this.visitor;
    for (let pages = random.between(0, 2 + Math.min(visits, 2)); pages > 0; pages--) {
      this.wait(5, 90);
      const category = random.pick(categories);
      this.see(`/c/${category}`, titleOf(category));
    }
    if (random.chance(0.3)) {
      this.wait(4, 40);
      const query = random.pick(queries);
      this.see('/search', 'Search', {}, `?q=${query.replaceAll(' ', '+')}`);
      this.goOn();
      this.track('search_used', {query, results: random.between(0, 48)});
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
    this.see(`/p/${product.id}`, `${titleOf(product.category)} ${product.id.split('-')[1]}`);
    this.goOn();
    this.track('product_viewed', about);
    if (!random.chance(wish)) return;
    this.wait(5, 60);
    this.track('cart_added', {...about, quantity: random.between(1, 2)});
    this.cart.push(product);
    if (!random.chance(0.08)) return;
    this.wait(5, 60);
    this.see('/cart', 'Cart');
    this.goOn();
    this.track('cart_removed', about);
    this.cart.pop();
  }

  /** @returns whether the visitor ordered something. */
  private checkOut(): boolean {
    const {visitor} = this;
    const {random} = visitor;
    if (!random.chance(this.isKnown ? 0.72 : 0.5)) return false;
    const full = this.cart.reduce((sum, {price}) => sum + price, 0);
    this.wait(15, 240);
    this.see('/checkout', 'Checkout');
    this.goOn();
    this.track('checkout_started', {items: this.cart.length, value: full});
    const hasCoupon = this.campaign !== undefined && random.chance(0.4);
    const value = hasCoupon ? Math.floor(full * 0.9) : full;
    if (hasCoupon) {
      this.wait(5, 40);
      this.track('coupon_applied', {coupon: 'TEN', discount: full - value});
    }
    if (!random.chance(0.66)) return false;
    this.wait(30, 400);
    const order = `order-${this.scope}-${visitor.userId.slice('customer-'.length)}-${visitor.orders + 1}`;
    const payment = random.pick(payments);
    this.track('order_placed', {order, items: this.cart.length, value, currency: 'EUR', payment});
    visitor.orders += 1;
    this.goOn();
    this.see('/thanks', 'Thank you');
    if (random.chance(0.1)) {
      this.wait(5, 60);
      this.track('newsletter_subscribed', {});
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
    this.see('/join', 'Join');
    this.goOn();
    this.visitor.plan = 'free';
    this.isKnown = true;
    this.identify({name: this.visitor.name, email: this.visitor.email, country: this.visitor.country.code});
    this.track('signup', {method: this.visitor.random.pick(['email', 'google'])});
  }

  private logIn(): void {
    this.wait(8, 60);
    this.see('/login', 'Log in');
    this.goOn();
    this.isKnown = true;
    this.identify({});
    this.track('login', {});
  }

  private changePlan(): void {
    const next: Plan = this.visitor.plan === 'free' ? 'plus' : 'pro';
    if (next === this.visitor.plan) return;
    this.wait(10, 90);
    this.see('/account/plan', 'Your plan');
    this.goOn();
    const from = this.visitor.plan;
    this.visitor.plan = next;
    this.identify({});
    this.track('plan_changed', {from, price: next === 'plus' ? 490 : 990});
  }

  private wait(leastSeconds: number, mostSeconds: number): void {
    this.timeMs += this.visitor.random.between(leastSeconds * secondMs, mostSeconds * secondMs); // VI1
  }

  /** The shortest time between two actions. VI1 */
  private goOn(): void {
    this.timeMs += secondMs;
  }

  /** VI2. `arrival`: the visit begins on this page. */
  private see(path: string, title: string, properties: Properties = {}, search = '', arrival?: Arrival): void {
    const before = addressOf(this.page);
    this.page = {path, title, search};
    this.track(pageViewed, properties, arrival, before);
  }

  /** `arrival` and `before`: of a page view alone. */
  private track(event: string, properties: Properties, arrival?: Arrival, before?: string): void {
    const {timeMs, page} = this;
    const context = this.visitor.surroundings.contextOf(page, arrival, before, timeMs);
    this.add('event', timeMs, {
      event,
      ...this.who(),
      properties: {path: page.path, ...this.common(), ...properties},
      context,
    });
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

  private identify(traits: Properties): void {
    const {userId, plan, orders} = this.visitor;
    this.add('identify', this.timeMs, {userId, traits: {...traits, plan, orders}});
    this.goOn();
  }

  private add(kind: ShopEntry['kind'], timeMs: number, body: object): void {
    const timestamp = new Date(timeMs).toISOString();
    const messageId = `${this.scope}-${this.visitor.userId.slice('customer-'.length)}-${this.visitor.sent++}`;
    this.entries.push({kind, timeMs, json: JSON.stringify({...body, timestamp, messageId})});
  }
}
