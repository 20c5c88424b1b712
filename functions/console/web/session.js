// Who is signed in, their organization and their teammates.
import { everyPage, get, stayIn } from "./api.js";
import { cell, forgetAll, remember, remembered } from "./store.js";

// {user: {id, name, email}, organization: {id, name, slug, role}, organizations}
export const me = cell(null);
export const members = cell([]);
export const teams = cell([]);

const RANK = { member: 0, admin: 1, owner: 2 };

// Whether the person has a role's rights: each role has those of the ones below it.
export const can = (role) => RANK[me.value?.organization?.role] >= RANK[role];

export const begin = async () => {
  me.value = await get("/me");
  const { user, organization } = me.value;
  stayIn(user.id, organization?.id ?? null);
  // Drafts are not for the next person.
  if (remembered("person") !== user.id) {
    forgetAll();
    remember("person", user.id);
  }
  return me.value;
};

export const loadMembers = async () => (members.value = await everyPage("/members", "members"));
export const loadTeams = async () => (teams.value = (await get("/teams")).teams);

export const memberName = (id) => {
  if (id === me.value?.user.id) return "You";
  return members.value.find((each) => each.userId === id)?.name ?? "A teammate";
};

export const teamName = (id) => teams.value.find((each) => each.id === id)?.name ?? "A team";
