import type { WebhookSetup } from "../../api/types.ts";

/** What a restricted key must be allowed to do. */
export const KeyPermissions = ({ permissions }: { permissions: WebhookSetup["keyPermissions"] }) => (
  <details class="connection-permissions">
    <summary>Permissions that the key needs</summary>
    <table class="rows">
      <thead>
        <tr>
          <th scope="col">Resource</th>
          <th scope="col">Access</th>
          <th scope="col">Needed for</th>
        </tr>
      </thead>
      <tbody>
        {permissions.map(({ resource, access, name, requiredFor }) => (
          <tr key={name}>
            <th scope="row">{resource}</th>
            <td>{access}</td>
            <td>{requiredFor === "sync" ? "Syncing" : "Registering the webhook"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </details>
);
