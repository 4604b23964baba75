# With the client of openapi-python-client.
import os
from uuid import UUID

from client import AuthenticatedClient
from client.api.agent_ingest import push_findings, register_scan
from client.api.findings import export_findings_csv, list_findings, update_finding
from client.models import FindingBatch, FindingChanges, FindingInput, FindingStatus, Persona
from client.models import RegisterScanRequest, Severity, UserStatus

ORG, SCAN = os.environ["ORG"], os.environ["SCAN"]
PROJECT = UUID(os.environ["PROJECT"])


def configured(token: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ[token])


agent, user = configured("INGEST_TOKEN"), configured("TRIAGE_TOKEN")

scan = RegisterScanRequest(scan_id=SCAN, project_id=PROJECT, persona=Persona.SHARINGAN)
register_scan.sync(client=agent, body=scan, x_org_slug=ORG)
made = [
    FindingInput(
        scan_id=SCAN,
        project_id=PROJECT,
        fingerprint=f"openapi-python-client-{n}",
        title=f"Finding {n}",
        severity=Severity.HIGH,
        description="Made by a generated client.",
    )
    for n in range(5)
]
pushed = push_findings.sync(client=agent, body=FindingBatch(findings=made), x_org_slug=ORG)
assert pushed.result.created == 5, pushed

first = list_findings.sync(client=user, x_org_slug=ORG, scan_id=SCAN, page=1, per_page=3)
second = list_findings.sync(client=user, x_org_slug=ORG, scan_id=SCAN, page=2, per_page=3)
assert (len(first.result), len(second.result)) == (3, 2)
assert first.result_info.total == 5 and first.result_info.has_next
row = first.result[0]

changes = FindingChanges(status=UserStatus.CONFIRMED, if_status=FindingStatus.OPEN)
changed = update_finding.sync(row.id, client=user, body=changes, x_org_slug=ORG)
assert changed.result.status == FindingStatus.CONFIRMED, changed

csv = export_findings_csv.sync_detailed(client=user, x_org_slug=ORG, scan_id=SCAN)
assert len(csv.content.decode().strip().split("\r\n")) == 6, csv
