/** Claim settings that count how often an authenticator read them: once for each token that it judged. */
export const countedClaims = () => {
  const state = { reads: 0 };
  const claims = {
    get organization() {
      state.reads++;
      return "org_id";
    },
    role: "org_role",
    roleMapping: {},
  };
  return { state, claims };
};
