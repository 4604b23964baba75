// With the client of openapi-generator for Java (native).
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.AgentIngestApi;
import org.openapitools.client.api.FindingsApi;
import org.openapitools.client.model.*;

public class Scenario {
  static final String ORG = System.getenv("ORG");
  static final String SCAN = System.getenv("SCAN");
  static final UUID PROJECT = UUID.fromString(System.getenv("PROJECT"));

  static ApiClient configured(String token) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("BASE_URL"));
    client.setRequestInterceptor(
        request -> request.header("Authorization", "Bearer " + System.getenv(token)));
    return client;
  }

  static void check(boolean is, String what) {
    if (!is) throw new IllegalStateException(what);
  }

  static ListFindingsEnvelope page(FindingsApi findings, int page) throws Exception {
    return findings.listFindings(
        FindingsApi.APIListFindingsRequest.newBuilder()
            .xOrgSlug(ORG).scanId(SCAN).page(page).perPage(3).build());
  }

  public static void main(String[] args) throws Exception {
    AgentIngestApi agent = new AgentIngestApi(configured("INGEST_TOKEN"));
    FindingsApi findings = new FindingsApi(configured("TRIAGE_TOKEN"));

    RegisterScanRequest scan =
        new RegisterScanRequest().scanId(SCAN).projectId(PROJECT).persona(Persona.SHARINGAN);
    agent.registerScan(
        AgentIngestApi.APIRegisterScanRequest.newBuilder()
            .xOrgSlug(ORG).registerScanRequest(scan).build());
    List<FindingInput> made = new ArrayList<>();
    for (int n = 1; n <= 5; n++)
      made.add(new FindingInput().scanId(SCAN).projectId(PROJECT).fingerprint("java-" + n)
          .title("Finding " + n).severity(Severity.HIGH).description("Made by a generated client."));
    PushFindingsEnvelope pushed =
        agent.pushFindings(
            AgentIngestApi.APIPushFindingsRequest.newBuilder()
                .xOrgSlug(ORG).findingBatch(new FindingBatch().findings(made)).build());
    check(pushed.getResult().getCreated() == 5, "five are created");

    ListFindingsEnvelope first = page(findings, 1);
    check(first.getResult().size() == 3 && page(findings, 2).getResult().size() == 2, "two pages");
    check(first.getResultInfo().getTotal() == 5 && first.getResultInfo().getHasNext(), "the page says so");
    ListedFinding row = first.getResult().get(0).getListedFinding();

    FindingChanges changes =
        new FindingChanges().status(UserStatus.CONFIRMED).ifStatus(FindingStatus.OPEN);
    UpdateFindingEnvelope changed =
        findings.updateFinding(
            FindingsApi.APIUpdateFindingRequest.newBuilder()
                .xOrgSlug(ORG).id(row.getId()).findingChanges(changes).build());
    check(changed.getResult().getStatus() == FindingStatus.CONFIRMED, "it is confirmed");

    // The native library parses every text as JSON, so it cannot export CSV.
    SarifLog sarif =
        findings.exportFindingsSarif(
            FindingsApi.APIExportFindingsSarifRequest.newBuilder().xOrgSlug(ORG).scanId(SCAN).build());
    check(sarif.getRuns().get(0).getResults().size() == 5, "the file has five results");
  }
}
